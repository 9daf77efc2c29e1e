import type { StaffOperationRows } from './operation-types.ts';
import * as webhooks from './webhooks.ts';

const tag = 'Webhooks';

export const webhookOperations = {
  WebhookGet: {
    tag,
    summary: 'Where the events of a partner go, and how that is going',
    request: webhooks.OneWebhook,
    response: webhooks.Webhook,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  WebhookSet: {
    tag,
    summary: 'Send the events of a partner to an address',
    request: webhooks.WebhookSetRequest,
    response: webhooks.Webhook,
    errors: ['partner_not_found', 'changed_meanwhile'],
  },
  WebhookOff: {
    tag,
    summary: 'Stop sending; the events wait',
    request: webhooks.WebhookEndRequest,
    response: webhooks.Webhook,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  WebhookRemove: {
    tag,
    summary: 'Remove a webhook, with all that is known of its deliveries',
    request: webhooks.WebhookEndRequest,
    response: webhooks.WebhookRemoveResponse,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  DeliveryList: {
    tag,
    summary: 'What became of each event',
    request: webhooks.DeliveryListRequest,
    response: webhooks.DeliveryListResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  DeliveryResend: {
    tag,
    summary: 'Send events again: some by their numbers, or all that match',
    request: webhooks.DeliveryResendRequest,
    response: webhooks.DeliveryResendResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
