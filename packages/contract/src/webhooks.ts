import { Type } from 'typebox';
import { eventTypes } from './events.ts';
import { asRead, Cursor, closed, DryRun, Limit, nullable, Timestamp, text, Uuid, WasDryRun } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { PartnerId } from './partners.ts';

// Where the events of a partner go, and what became of each: as staff see and change it.

const Sequence = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const Count = Type.Integer({ minimum: 0 });

const OneWebhook = closed({ client_id: PartnerId });

const Webhook = closed({
  client_id: PartnerId,
  url: Type.String(),
  set_at: Timestamp,
  off_at: nullable(Timestamp),
  off_reason: nullable(Type.String()),
  failing_since: nullable(Timestamp),
  last_attempt_at: nullable(Timestamp),
  attempted_through: Type.Integer({ description: 'Every event up to this number has been tried.' }),
  last_sequence: Type.Integer({ description: 'Of the latest event of the partner; 0 before the first.' }),
  oldest_kept: Type.Integer({ description: 'The oldest event that is kept.' }),
  next_sequence: Type.Integer({ description: 'The event that is tried next, beside those that are tried again.' }),
  waiting: Type.Integer({ description: 'Events that it has still to receive, those to be tried again among them.' }),
  failed: Type.Integer({ description: 'Events that were given up.' }),
});

const read = {
  as_read: asRead({
    url: Type.Optional(nullable(text(2048, 'The address; null where there was no webhook'))),
    off_at: Type.Optional(nullable(Timestamp)),
  }),
};

const WebhookSetRequest = closed({
  client_id: PartnerId,
  url: Type.String({ minLength: 1, maxLength: 4096, description: 'Where to send the events: https:// or http://.' }),
  from: Type.Optional(
    Sequence('The event to begin with; when absent from where it had stopped, and a new one from the next event.'),
  ),
  ...read,
});

const WebhookEndRequest = closed({ client_id: PartnerId, ...read });

const WebhookRemoveResponse = closed({
  client_id: PartnerId,
  url: Type.String(),
  waiting: Count,
  received: Count,
  failed: Count,
});

const states = ['waiting', 'received', 'failed'] as const;
const filter = {
  state: Type.Optional(Type.Enum([...states])),
  type: Type.Optional(Type.Enum([...eventTypes])),
  from: Type.Optional(Sequence('The lowest number of an event.')),
  to: Type.Optional(Sequence('The highest number of an event.')),
};

const DeliveryListRequest = closed({
  client_id: PartnerId,
  ...filter,
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

const Delivery = closed({
  sequence: Sequence('The number of the event.'),
  event_id: nullable(Uuid('The event; null where it is not kept any more.')),
  type: nullable(Type.Enum([...eventTypes])),
  state: Type.Enum([...states, 'not_sent']),
  attempts: Count,
  attempted_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
  answer_status: nullable(Type.Integer({ description: 'What was answered to the latest attempt.' })),
  outcome: nullable(Type.String({ description: 'What became of the latest attempt, for people.' })),
});

const DeliveryListResponse = closed({
  deliveries: Type.Array(Delivery, {
    description: 'The latest first. Where few match, a page can be short, or empty, and still have a next one.',
  }),
  next_cursor: nullable(Type.String()),
});

const DeliveryResendRequest = closed({
  client_id: PartnerId,
  sequences: Type.Optional(
    Type.Array(Sequence('The number of an event.'), { minItems: 1, maxItems: 10_000, uniqueItems: true }),
  ),
  ...filter,
  dry_run: Type.Optional(DryRun),
});

const DeliveryResendResponse = closed({
  client_id: PartnerId,
  matched: Type.Integer({ description: 'How many will be sent again, or would be.' }),
  is_on: Type.Boolean({ description: 'Where the webhook is off, they wait until it is set again.' }),
  dry_run: Type.Optional(WasDryRun),
});

const tag = 'Webhooks';

export const webhookOperations = {
  WebhookGet: {
    tag,
    summary: 'Where the events of a partner go, and how that is going',
    request: OneWebhook,
    response: Webhook,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  WebhookSet: {
    tag,
    summary: 'Send the events of a partner to an address',
    request: WebhookSetRequest,
    response: Webhook,
    errors: ['partner_not_found', 'changed_meanwhile'],
  },
  WebhookOff: {
    tag,
    summary: 'Stop sending; the events wait',
    request: WebhookEndRequest,
    response: Webhook,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  WebhookRemove: {
    tag,
    summary: 'Remove a webhook, with all that is known of its deliveries',
    request: WebhookEndRequest,
    response: WebhookRemoveResponse,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  DeliveryList: {
    tag,
    summary: 'What became of each event',
    request: DeliveryListRequest,
    response: DeliveryListResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  DeliveryResend: {
    tag,
    summary: 'Send events again: some by their numbers, or all that match',
    request: DeliveryResendRequest,
    response: DeliveryResendResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
