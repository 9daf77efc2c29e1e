import type { StaffRequestOf, StaffResponseOf } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Handlers } from '../../calls/call.ts';
import { type ChangeServices, changeContextOf } from '../../calls/changes.ts';
import { cursorsOf, isSequence } from '../../calls/cursor.ts';
import { formatInstant, timeText } from '../../primitives/amounts.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import { findEventTypes } from '../feed/sql/events.ts';
import {
  checkedUrl,
  countMatching,
  nextOf,
  removeWebhook,
  resend,
  setWebhook,
  turnWebhookOff,
  webhookOf,
} from './changes.ts';
import { type Delivery, findDeliveries } from './sql/deliveries.ts';
import { readLastAttempt, type Webhook } from './sql/webhooks.ts';

type Name = 'WebhookGet' | 'WebhookSet' | 'WebhookOff' | 'WebhookRemove' | 'DeliveryList' | 'DeliveryResend';

interface WebhookServices extends ChangeServices {
  /** Whether events may be sent to addresses that are not public. */
  arePrivateAddressesAllowed: boolean;
}

async function bodyOf(pool: Pool, client_id: number, webhook: Webhook): Promise<StaffResponseOf<'WebhookGet'>> {
  const { url, off_reason, attempted_through, last_sequence, oldest_kept, waiting, failed } = webhook;
  return {
    client_id,
    url,
    set_at: formatInstant(webhook.set_at),
    off_at: timeText(webhook.off_at),
    off_reason,
    failing_since: timeText(webhook.failing_since),
    last_attempt_at: timeText(await readLastAttempt(pool, client_id)),
    attempted_through,
    last_sequence,
    oldest_kept,
    next_sequence: nextOf(webhook),
    waiting,
    failed,
  };
}

type EventType = NonNullable<StaffRequestOf<'DeliveryList'>['type']>;

const deliveryBody = (delivery: Delivery, event: { id: string; type: string } | undefined) => ({
  sequence: delivery.sequence,
  event_id: event?.id ?? null,
  type: (event?.type ?? null) as EventType | null,
  state: delivery.state === 'not sent' ? ('not_sent' as const) : delivery.state,
  attempts: delivery.attempts,
  attempted_at: timeText(delivery.attempted_at),
  next_attempt_at: timeText(delivery.next_attempt_at),
  answer_status: statusIn(delivery.outcome),
  outcome: delivery.outcome,
});

function statusIn(outcome: string | null): number | null {
  const status = /^answered (\d{3})\b/.exec(outcome ?? '')?.[1];
  return status === undefined ? null : Number(status);
}

/** How many deliveries are read for a page that is filtered by event type. */
const scanBound = 1000;

/** Either by sequence numbers, or by at least one filter. */
function isSelection({ sequences, state, type, from, to }: StaffRequestOf<'DeliveryResend'>): boolean {
  const isFiltered = [state, type, from, to].some((each) => each !== undefined);
  return isFiltered !== (sequences !== undefined);
}

const cursors = cursorsOf({ before: isSequence });

export const webhookHandlers: Handlers<Name, WebhookServices> = {
  async WebhookGet({ services: { consolePool } }, { client_id }) {
    return done(await bodyOf(consolePool, client_id, await webhookOf(consolePool, client_id)));
  },

  async WebhookSet(call, { client_id, url, from = null, as_read }) {
    const { consolePool, arePrivateAddressesAllowed } = call.services;
    const address = checkedUrl(url, arePrivateAddressesAllowed);
    const webhook = await setWebhook(changeContextOf(call), client_id, address, from, as_read);
    return done(await bodyOf(consolePool, client_id, webhook));
  },

  async WebhookOff(call, { client_id, as_read }) {
    const webhook = await turnWebhookOff(changeContextOf(call), client_id, as_read);
    return done(await bodyOf(call.services.consolePool, client_id, webhook));
  },

  async WebhookRemove(call, { client_id, as_read }) {
    return done({ client_id, ...(await removeWebhook(changeContextOf(call), client_id, as_read)) });
  },

  async DeliveryList(
    { services: { consolePool } },
    { client_id, state = null, type, from = 1, to, limit = 50, cursor },
  ) {
    const before = cursors.read(cursor)?.before ?? Number.MAX_SAFE_INTEGER;
    await webhookOf(consolePool, client_id);
    const read = type === undefined ? limit + 1 : scanBound;
    const wanted = { state, from, to: Math.min(to ?? before, before - 1), limit: read };
    const found = await findDeliveries(consolePool, client_id, wanted);
    const kept = await findEventTypes(
      consolePool,
      client_id,
      found.map(({ sequence }) => sequence),
    );
    const matching = found.filter(({ sequence }) => type === undefined || kept.get(sequence)?.type === type);
    const shown = matching.slice(0, limit);
    const last = matching.length > limit ? shown.at(-1) : found.length === read ? found.at(-1) : undefined;
    return done({
      deliveries: shown.map((delivery) => deliveryBody(delivery, kept.get(delivery.sequence))),
      next_cursor: cursors.write(last ? { before: last.sequence } : null),
    });
  },

  async DeliveryResend(call, body) {
    const { client_id, dry_run = false, ...selection } = body;
    if (!isSelection(body)) {
      const reason = 'give either sequences, or one or more of state, type, from and to';
      return refuse('invalid_request', [{ field: 'sequences', reason }]);
    }
    const { matched, webhook } = dry_run
      ? await countMatching(call.services.consolePool, client_id, selection)
      : await resend(changeContextOf(call), client_id, selection);
    const answer = { client_id, matched, is_on: webhook.off_at === null };
    return done(dry_run ? { ...answer, dry_run: true as const } : answer);
  },
};
