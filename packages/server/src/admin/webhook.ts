import type { ChangeContext } from '../audit/change.ts';
import {
  maxResent,
  nextOf,
  removeWebhook,
  resend as resendEvents,
  type Selection,
  setWebhook,
  turnWebhookOff,
  webhookOf,
} from '../events/webhooks/changes.ts';
import { readWebhookUrl } from '../events/webhooks/request.ts';
import { type Delivery, type DeliveryState, findDeliveries } from '../events/webhooks/sql/deliveries.ts';
import type { Webhook } from '../events/webhooks/sql/webhooks.ts';
import { arePrivateAddressesAllowed, type Config } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { callerNotFound } from './callers.ts';
import {
  cliAttribution,
  parseClientId,
  type RefusalMessages,
  reasonMessage,
  runChange,
  type WithReason,
} from './changes.ts';
import { type Arguments, command, iso, table } from './command.ts';

const maxSequence = 999_999_999_999_999;
const maxListed = 1000;

function wholeNumberOf(option: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= 1 && number <= max) return number;
  throw new Failure(
    `--${option} must be a whole number ${max === maxSequence ? 'of at least 1' : `from 1 to ${max}`}.`,
  );
}

/** The sequence of an event; null if the option is absent. */
export const sequenceOf = (option: string, text: string | undefined): number | null =>
  text === undefined ? null : wholeNumberOf(option, text, maxSequence);

/** Returns the URL, or throws a message that says what is wrong with it. */
export function urlIn<T>(read: { url: T } | { wrong: string }): T {
  if ('url' in read) return read.url;
  throw new Failure(reasonMessage([{ field: 'url', reason: read.wrong }]));
}

/** Messages for refused changes. They write options with dashes. */
export const webhookMessages = (clientId: number): RefusalMessages => ({
  ...callerNotFound('partner', clientId),
  webhook_not_found: `Partner ${clientId} has no webhook. Set one with: freebets client webhook set ${clientId} URL`,
  invalid_request: (details) => reasonMessage(details).replace(': from can', ': --from can'),
});

type WebhookArguments<Options extends object = object> = Arguments<[string], Options & WithReason>;

/** Runs `work` for the partner that the first argument names. */
const onWebhook = <T>(
  config: Config,
  action: string,
  { positionals: [text], options }: WebhookArguments,
  work: (context: ChangeContext, clientId: number) => Promise<T>,
  messages: RefusalMessages = {},
): Promise<T> => {
  const clientId = parseClientId(text);
  return runChange(config, cliAttribution(action, options), (context) => work(context, clientId), {
    ...webhookMessages(clientId),
    ...messages,
  });
};

/** The message for turning off or removing a webhook that does not exist. */
const noWebhook = (args: WebhookArguments): RefusalMessages => ({
  webhook_not_found: `Partner ${args.positionals[0]} has no webhook.`,
});

export const set = command({
  run: async (config, args: Arguments<[string, string], { from?: string } & WithReason>) => {
    const [id, address] = args.positionals;
    const url = urlIn(readWebhookUrl(address, arePrivateAddressesAllowed(config)));
    const from = sequenceOf('from', args.options.from);
    return onWebhook(config, 'WebhookSet', { ...args, positionals: [id] }, async (context, client_id) => {
      const webhook = await setWebhook(context, client_id, url, from);
      return { client_id, url, next_sequence: nextOf(webhook), waiting: webhook.waiting };
    });
  },
  show: ({ client_id, url, next_sequence, waiting }) =>
    `Events of partner ${client_id} go to ${url}; the next event is number ${next_sequence}. Waiting to be sent: ${waiting}.`,
});

export const show = command({
  run: (config, args: WebhookArguments) =>
    onWebhook(config, 'WebhookGet', args, async ({ pool }, client_id) => {
      const { set_at, off_at, failing_since, ...webhook } = await webhookOf(pool, client_id);
      const times = { set_at: iso(set_at), off_at: iso(off_at), failing_since: iso(failing_since) };
      return { client_id, ...webhook, ...times };
    }),
  show: (webhook) =>
    [
      `Events of partner ${webhook.client_id} go to ${webhook.url}`,
      webhook.off_at === null ? `On since ${webhook.set_at}.` : `Off since ${webhook.off_at}: ${webhook.off_reason}.`,
      ...(webhook.failing_since === null ? [] : [`Failing since ${webhook.failing_since}.`]),
      `Attempted up to event ${webhook.attempted_through} of ${webhook.last_sequence}.`,
      `Waiting: ${webhook.waiting}. Failed: ${webhook.failed}.`,
    ].join('\n'),
});

export const off = command({
  run: (config, args: WebhookArguments) =>
    onWebhook(
      config,
      'WebhookOff',
      args,
      async (context, client_id) => {
        await turnWebhookOff(context, client_id);
        return { client_id };
      },
      noWebhook(args),
    ),
  show: ({ client_id }) =>
    `The webhook of partner ${client_id} is off; servers apply the change within five seconds. Its events wait until you set a webhook again.`,
});

export const remove = command({
  run: (config, args: WebhookArguments) =>
    onWebhook(
      config,
      'WebhookRemove',
      args,
      async (context, client_id) => ({ client_id, ...(await removeWebhook(context, client_id)) }),
      noWebhook(args),
    ),
  show: ({ client_id, url, waiting, received, failed }) =>
    [
      `The webhook of partner ${client_id} to ${url} is removed; servers apply the change within five seconds.`,
      `Its delivery history was deleted: ${waiting} waiting, ${received} received, ${failed} failed.`,
      'The events stay in the feed.',
    ].join('\n'),
});

export const deliveries = command({
  run: (config, args: WebhookArguments<{ state?: DeliveryState; limit?: string }>) => {
    const { state = null } = args.options;
    const limit = wholeNumberOf('limit', args.options.limit ?? '50', maxListed);
    return onWebhook(config, 'DeliveryList', args, async ({ pool }, clientId) => {
      await webhookOf(pool, clientId);
      return (await findDeliveries(pool, clientId, { state, from: 1, to: maxSequence, limit })).map(shown);
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
  from: number;
  to: number;
}

/** The selected range; null for all failed events. */
function rangeOf({ sequence, to: end, failed }: ResendOptions): Range | null {
  const from = sequenceOf('sequence', sequence);
  const to = sequenceOf('to', end) ?? from;
  if (failed ? from !== null || to !== null : from === null || to === null) {
    throw new Failure('Choose the events: use --sequence N, --sequence N --to M, or --failed.');
  }
  if (from === null || to === null) return null;
  if (to < from) throw new Failure('--to must not be less than --sequence.');
  if (to - from >= maxResent) throw new Failure(`You can send at most ${maxResent} events again at a time.`);
  return { from, to };
}

function nothingToResend({ from, to }: Range, { attempted_through, last_sequence, oldest_kept }: Webhook): string {
  const these = from === to ? `Event ${from} ` : `Events ${from} to ${to} `;
  const [is, has, it] = from === to ? ['is', 'has', 'it is'] : ['are', 'have', 'they are'];
  if (from > last_sequence) return `There is no event ${from} yet; the latest is number ${last_sequence}.`;
  if (to < oldest_kept) return `${these}${is} no longer kept.`;
  if (from >= oldest_kept && from > attempted_through) {
    return `${these}${has} not been attempted yet; ${it} sent in order.`;
  }
  return `${these}are no longer kept, or have not been attempted yet.`;
}

export const resend = command({
  run: (config, args: WebhookArguments<ResendOptions>) => {
    const range = rangeOf(args.options);
    return onWebhook(config, 'DeliveryResend', args, async (context, client_id) => {
      const selection: Selection = range ?? { state: 'failed' };
      const { matched: resent, webhook } = await resendEvents(context, client_id, selection, Number.POSITIVE_INFINITY);
      if (resent === 0) {
        throw new Failure(
          range === null ? `No event of partner ${client_id} has failed.` : nothingToResend(range, webhook),
        );
      }
      const left_out = range === null ? 0 : range.to - range.from + 1 - resent;
      return { client_id, resent, left_out, is_on: webhook.off_at === null };
    });
  },
  show: ({ client_id, resent, left_out, is_on }) =>
    [
      `Events of partner ${client_id} that will be sent again: ${resent}.`,
      ...(left_out > 0 ? [`No longer kept, or not attempted yet: ${left_out}.`] : []),
      ...(is_on ? [] : ['The webhook is off: the events wait until you set a webhook again.']),
    ].join('\n'),
});
