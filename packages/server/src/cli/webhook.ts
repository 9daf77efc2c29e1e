import type { Config } from '../config.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import {
  type Delivery,
  type DeliveryState,
  listDeliveries,
  listDeliveriesIn,
  resendEvents,
  resendFailed,
} from '../sql/deliveries.ts';
import { partnerExists } from '../sql/partners.ts';
import { readWebhook, removeWebhook, saveWebhook, turnWebhookOff, type Webhook } from '../sql/webhooks.ts';
import { type Arguments, command, iso, table } from './command.ts';
import { clientIdOf } from './ids.ts';
import { webhookUrlOf } from './webhook-url.ts';

const maxSequence = 999_999_999_999_999;
const maxResent = 10_000;
const maxListed = 1000;

/** Why a webhook is off that an operator has turned off. */
const byHand = 'by hand';

function wholeNumberOf(option: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= 1 && number <= max) return number;
  throw new Failure(`--${option} is a whole number from 1${max === maxSequence ? ' on' : ` to ${max}`}.`);
}

/** The number of an event; null when the option is absent. */
export const sequenceOf = (option: string, text: string | undefined): number | null =>
  text === undefined ? null : wholeNumberOf(option, text, maxSequence);

export async function checkPartner(connection: Connection, clientId: number): Promise<void> {
  if (!(await partnerExists(connection, clientId))) throw new Failure(`There is no partner ${clientId}.`);
}

/** The number of the next event that goes to it, beside those that are to be tried again. */
export const nextOf = ({ attempted_through, oldest_kept }: Webhook): number =>
  Math.max(attempted_through + 1, oldest_kept);

/** What has not happened yet would be left out when it does, without anybody noticing. */
export function checkFrom(from: number | null, { last_sequence }: Webhook): void {
  if (from === null || from <= last_sequence + 1) return;
  throw new Failure(`There is no event ${from} yet: --from can be ${last_sequence + 1} at most.`);
}

async function webhookOf(connection: Connection, clientId: number): Promise<Webhook> {
  const webhook = await readWebhook(connection, clientId);
  if (webhook !== undefined) return webhook;
  await checkPartner(connection, clientId);
  throw new Failure(`Partner ${clientId} has no webhook: set one with freebets client webhook set ${clientId} URL`);
}

type OfWebhook<Options extends object = object> = Arguments<[string], Options>;

/** For the webhook that the first argument names. */
const onWebhook = <T>(
  config: Config,
  { positionals: [text] }: OfWebhook,
  work: (connection: Connection, clientId: number, webhook: Webhook) => Promise<T>,
): Promise<T> => {
  const clientId = clientIdOf(text);
  return withDatabase(config, ({ pool }) =>
    inTransaction(pool, async (connection) => work(connection, clientId, await webhookOf(connection, clientId))),
  );
};

export const set = command({
  run: async (config, { positionals: [id, address], options }: Arguments<[string, string], { from?: string }>) => {
    const client_id = clientIdOf(id);
    const url = await webhookUrlOf(config, address);
    const from = sequenceOf('from', options.from);
    return withDatabase(config, ({ pool }) =>
      inTransaction(pool, async (connection) => {
        await checkPartner(connection, client_id);
        await saveWebhook(connection, client_id, url, from);
        const webhook = await webhookOf(connection, client_id);
        checkFrom(from, webhook);
        return { client_id, url, next_sequence: nextOf(webhook), waiting: webhook.waiting };
      }),
    );
  },
  show: ({ client_id, url, next_sequence, waiting }) =>
    `Events of partner ${client_id} go to ${url}; the next is number ${next_sequence}. Waiting to be sent: ${waiting}.`,
});

export const show = command({
  run: (config, args: OfWebhook) =>
    onWebhook(config, args, async (_, client_id, { set_at, off_at, failing_since, ...webhook }) => ({
      client_id,
      ...webhook,
      set_at: iso(set_at),
      off_at: iso(off_at),
      failing_since: iso(failing_since),
    })),
  show: (webhook) =>
    [
      `Events of partner ${webhook.client_id} go to ${webhook.url}`,
      webhook.off_at === null ? `On since ${webhook.set_at}.` : `Off since ${webhook.off_at}: ${webhook.off_reason}.`,
      ...(webhook.failing_since === null ? [] : [`Failing since ${webhook.failing_since}.`]),
      `Attempted up to number ${webhook.attempted_through} of ${webhook.last_sequence}.`,
      `Waiting: ${webhook.waiting}. Failed: ${webhook.failed}.`,
    ].join('\n'),
});

export const off = command({
  run: (config, args: OfWebhook) =>
    onWebhook(config, args, async (connection, client_id) => {
      await turnWebhookOff(connection, client_id, byHand);
      return { client_id };
    }),
  show: ({ client_id }) =>
    `The webhook of partner ${client_id} is off; servers follow within five seconds. Its events wait until it is set again.`,
});

export const remove = command({
  run: (config, args: OfWebhook) =>
    onWebhook(config, args, async (connection, client_id, { url }) => ({
      client_id,
      url,
      ...(await removeWebhook(connection, client_id)),
    })),
  show: ({ client_id, url, waiting, received, failed }) =>
    [
      `The webhook of partner ${client_id} to ${url} is removed; servers follow within five seconds.`,
      `What was known of its deliveries is dropped: ${waiting} waiting, ${received} received, ${failed} failed.`,
      'The events themselves are kept, and can be read as before.',
    ].join('\n'),
});

export const deliveries = command({
  run: (config, args: OfWebhook<{ state?: DeliveryState; limit?: string }>) => {
    const { state } = args.options;
    const limit = wholeNumberOf('limit', args.options.limit ?? '50', maxListed);
    return onWebhook(config, args, async (connection, clientId) => {
      const found =
        state === undefined
          ? await listDeliveries(connection, clientId, limit)
          : await listDeliveriesIn(connection, clientId, state, limit);
      return found.map(shown);
    });
  },
  show: (found) =>
    table(
      ['SEQUENCE', 'STATE', 'ATTEMPTS', 'LAST ATTEMPT', 'NEXT ATTEMPT', 'OUTCOME'],
      found.map((delivery) => [
        String(delivery.sequence),
        delivery.state,
        String(delivery.attempts),
        delivery.attempted_at ?? '',
        delivery.next_attempt_at ?? '',
        delivery.outcome ?? '',
      ]),
    ),
});

const shown = (delivery: Delivery) => ({
  ...delivery,
  attempted_at: iso(delivery.attempted_at),
  next_attempt_at: iso(delivery.next_attempt_at),
});

interface ResendOptions {
  sequence?: string;
  to?: string;
  failed?: boolean;
}

interface Range {
  first: number;
  last: number;
}

/** Null for all that failed. */
function rangeOf({ sequence, to, failed }: ResendOptions): Range | null {
  const first = sequenceOf('sequence', sequence);
  const last = sequenceOf('to', to) ?? first;
  if (failed ? first !== null || last !== null : first === null || last === null) {
    throw new Failure('Say which events: --sequence N, or --sequence N --to M, or --failed.');
  }
  if (first === null || last === null) return null;
  if (last < first) throw new Failure('--to must not be less than --sequence.');
  if (last - first >= maxResent) throw new Failure(`At most ${maxResent} events can be sent again at a time.`);
  return { first, last };
}

function whyNone({ first, last }: Range, { attempted_through, last_sequence, oldest_kept }: Webhook): string {
  const these = first === last ? `Event ${first} ` : `Events ${first} to ${last} `;
  const [is, has, it] = first === last ? ['is', 'has', 'it is'] : ['are', 'have', 'they are'];
  if (first > last_sequence) return `There is no event ${first} yet; the latest is number ${last_sequence}.`;
  if (last < oldest_kept) return `${these}${is} not kept any more.`;
  if (first >= oldest_kept && first > attempted_through) {
    return `${these}${has} not been attempted yet; ${it} sent in turn.`;
  }
  return `${these}are not kept any more, or have not been attempted yet.`;
}

export const resend = command({
  run: (config, args: OfWebhook<ResendOptions>) => {
    const range = rangeOf(args.options);
    return onWebhook(config, args, async (connection, client_id, webhook) => {
      const resent =
        range === null
          ? await resendFailed(connection, client_id)
          : await resendEvents(connection, client_id, range.first, range.last);
      if (resent === 0) {
        throw new Failure(range === null ? `No event of partner ${client_id} has failed.` : whyNone(range, webhook));
      }
      const left_out = range === null ? 0 : range.last - range.first + 1 - resent;
      return { client_id, resent, left_out, is_on: webhook.off_at === null };
    });
  },
  show: ({ client_id, resent, left_out, is_on }) =>
    [
      `Events of partner ${client_id} that will be sent again: ${resent}.`,
      ...(left_out > 0 ? [`Not kept any more, or not attempted yet: ${left_out}.`] : []),
      ...(is_on ? [] : ['The webhook is off: they wait until it is set again.']),
    ].join('\n'),
});
