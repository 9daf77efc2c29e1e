import { randomBytes } from 'node:crypto';
import { timeHeader } from '@freebets/contract';
import { Failure } from '../../primitives/failure.ts';
import {
  Broken,
  type Check,
  chosenAmong,
  type HowToCheck,
  NotChecked,
  type Report,
  reportOf,
  runChecks,
} from '../check.ts';
import {
  type Delivery,
  deliveriesWith,
  isReceipt,
  otherSecret,
  type Receiver,
  type ReceiverToCheck,
  type Rewrite,
  received,
  receiverOf,
  refused,
  without,
} from './receiver.ts';

// The rules for receivers of events, judged by their responses alone.

const guide = 'partners/webhooks#receive-events-at-a-webhook';
const answering = 'partners/webhooks#rules-for-a-receiver';

/** The most attempts that the service makes concurrently if a receiver keeps up. */
const burst = 128;
const acceptance = 'webhook.accepted';
const tenMinutesMs = 600_000;
const slowlyMs = 2000;

/** Whether this kind of signature alone is enough. A receiver that wants both accepts neither alone. */
async function isEnough(receiver: Receiver, kind: 'standard' | 'request'): Promise<boolean> {
  return isReceipt(await receiver.send({ headers: without(kind === 'standard' ? 'request' : 'standard') }));
}

/** Sent concurrently, because there are many. */
async function allRefused({ send }: Receiver, deliveries: Delivery[], what: string): Promise<void> {
  const all = await Promise.all(deliveries.map((delivery) => send(delivery)));
  for (const exchange of all) refused(exchange, what);
}

/** Flips one bit of this byte. */
const wrongAt =
  (at: number): Rewrite =>
  (right, encoding) => {
    const bytes = Buffer.from(right, encoding);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes.toString(encoding);
  };

/** A whole number of bytes in both encodings, so that only the length is wrong. */
const cutShort: Rewrite = (right) => right.slice(0, 20);
const lengthened: Rewrite = (right, encoding) =>
  Buffer.concat([Buffer.from(right, encoding), Buffer.of(0)]).toString(encoding);

export const webhookChecks: Check<Receiver>[] = [
  {
    id: acceptance,
    rule: 'A correctly signed event gets 2xx.',
    guide,
    advice: 'Return 204 as soon as the event is stored. A redirect counts as a failure.',
    async run({ send }) {
      received(await send(), 'A correctly signed event');
    },
  },
  {
    id: 'webhook.in-time',
    rule: 'The response comes well before the service gives up.',
    guide: answering,
    advice: 'Store the event, respond, and process it afterwards.',
    async run({ send, timeoutMs }) {
      const exchange = await send();
      const { answer } = exchange;
      if (answer === null) received(exchange, 'An event');
      if (answer === null || answer.duration_ms <= timeoutMs / 2) return;
      const took = `${answer.duration_ms / 1000} s of ${timeoutMs / 1000} s`;
      throw new Broken(`The response took ${took}. A little more load, and it would count as a failure.`, exchange);
    },
  },
  {
    id: 'webhook.unsigned',
    rule: 'An event without a signature is refused.',
    guide,
    advice: 'Return 401 if neither X-REQUEST-SIGN nor webhook-signature is present.',
    async run({ send }) {
      const unsigned = (signed: Record<string, string>) => without('standard')(without('request')(signed));
      refused(await send({ headers: unsigned }), 'An event without a signature');
    },
  },
  {
    id: 'webhook.wrong-signature',
    rule: 'An event that is signed with another secret is refused.',
    guide,
    advice: 'Calculate the HMAC with your secret and compare it with the received one in constant time.',
    async run({ send }) {
      refused(await send({ secrets: [otherSecret()] }), 'An event signed with another secret');
    },
  },
  {
    id: 'webhook.empty-signature',
    rule: 'An event whose signature is empty is refused.',
    guide,
    advice: 'Treat an empty X-REQUEST-SIGN or webhook-signature as wrong: every string starts with the empty string.',
    async run(receiver) {
      const nothing: Delivery = { headers: (signed) => ({ ...without('request')(signed), 'webhook-signature': '' }) };
      const deliveries = [...deliveriesWith(() => '', receiver.secret), nothing];
      await allRefused(receiver, deliveries, 'An event with an empty signature');
    },
  },
  {
    id: 'webhook.partial-signature',
    rule: 'A signature that is only partly right is refused.',
    guide,
    advice: 'Compare all 32 bytes of the signature, in constant time.',
    async run(receiver) {
      const { secret } = receiver;
      await allRefused(receiver, deliveriesWith(wrongAt(31), secret), 'A signature that is wrong in its last byte');
      await allRefused(receiver, deliveriesWith(wrongAt(0), secret), 'A signature that is wrong in its first byte');
    },
  },
  {
    id: 'webhook.malformed-signature',
    rule: 'A truncated signature, or one with extra characters, is refused.',
    guide,
    advice: 'Compare the lengths first, and return 401 if they differ: some comparison functions throw.',
    async run(receiver) {
      const { secret } = receiver;
      await allRefused(receiver, deliveriesWith(cutShort, secret), 'The start of a signature');
      await allRefused(receiver, deliveriesWith(lengthened, secret), 'A signature with an extra byte');
    },
  },
  {
    id: 'webhook.altered-body',
    rule: 'An event that was changed after it was signed is refused.',
    guide,
    advice: 'Calculate the HMAC over every byte of the received body.',
    async run({ send, event }) {
      const genuine = event();
      received(await send({ event: genuine }), 'A correctly signed event');
      const sentText = JSON.stringify(genuine).replace('"1.00"', '"9.00"');
      refused(await send({ event: genuine, sentText }), 'An event whose amount was changed');
    },
  },
  {
    id: 'webhook.raw-bytes',
    rule: 'The signature is checked over the received bytes, not over parsed and rewritten JSON.',
    guide,
    advice: 'Use the raw body before a framework parses it, for example with express.raw().',
    async run({ send, event }) {
      const own = event();
      const text = `${JSON.stringify(own, null, 2).replace('check-player', 'sp\\u00e9ler ☘ \\/')}\n`;
      received(await send({ event: own, text }), 'A correctly signed event with white space and escapes');
    },
  },
  {
    id: 'webhook.old-time',
    rule: 'An event with an old time is refused if the signature covers the time.',
    guide,
    advice: 'Refuse a webhook-timestamp or X-REQUEST-TIME that is more than five minutes off.',
    async run(receiver) {
      const { send, signing } = receiver;
      const atMs = Date.now() - tenMinutesMs;
      const takesStandard = await isEnough(receiver, 'standard');
      if (!takesStandard && signing === 'plain' && (await isEnough(receiver, 'request'))) {
        const reason = 'The receiver uses X-REQUEST-SIGN alone, which has no time: it detects copies by event_id.';
        throw new NotChecked('skipped', reason);
      }
      const headers = takesStandard ? { headers: without('request') } : {};
      refused(await send({ atMs, ...headers }), 'An event signed ten minutes ago');
    },
  },
  {
    id: 'webhook.other-path',
    rule: 'With strict signing, an event that was signed for another address is refused.',
    guide: 'partners/authentication#ask-for-strict-signing',
    advice: 'Calculate the HMAC over X-REQUEST-TIME, the path of the request line and the body.',
    async run(receiver) {
      const { send, signing } = receiver;
      if (signing === 'plain') throw new NotChecked('skipped', 'The partner’s signing is not strict.');
      if (!(await isEnough(receiver, 'request'))) {
        throw new NotChecked('skipped', 'The receiver does not use X-REQUEST-SIGN alone.');
      }
      const headers = without('standard');
      refused(await send({ signedPath: '/somewhere/else', headers }), 'An event signed for another path');
      const timeless = (signed: Record<string, string>) => ({ ...headers(signed), [timeHeader]: '' });
      refused(await send({ headers: timeless }), 'An event without X-REQUEST-TIME');
    },
  },
  {
    id: 'webhook.duplicate',
    rule: 'A repeated event gets 2xx again.',
    guide: answering,
    advice: 'If you already have its event_id, return 2xx without processing it again.',
    async run({ send, event }) {
      const own = event();
      for (const what of ['An event', 'The same event again', 'The same event a third time']) {
        received(await send({ event: own }), what);
      }
    },
  },
  {
    id: 'webhook.out-of-order',
    rule: 'Events that arrive out of order get 2xx.',
    guide: answering,
    advice: 'Store every event, and use `sequence` if the order matters.',
    async run({ send, event }) {
      const [first, second, third] = [event(), event(), event()];
      for (const own of [third, first, second]) {
        received(await send({ event: own }), `The event ${own.sequence}, after a later one,`);
      }
    },
  },
  {
    id: 'webhook.unknown-type',
    rule: 'An event of an unknown type, or with unknown fields, gets 2xx.',
    guide: 'partners/events#types',
    advice: 'Ignore unknown types and fields: more will be added.',
    async run({ send, event }) {
      received(await send({ event: event({ type: 'freebet.invented', data: { thing: {} } }) }), 'An unknown type');
      received(await send({ event: event({ invented: { deep: [1] } }) }), 'An event with an unknown field');
    },
  },
  {
    id: 'webhook.rotated-secret',
    rule: 'During a rotation of the secret, an event is valid if one of its signatures matches.',
    guide: 'partners/webhooks#while-your-secret-changes',
    advice: 'Try X-REQUEST-SIGN and X-REQUEST-SIGN-PREVIOUS, or every signature in webhook-signature.',
    async run({ send, secret }) {
      received(await send({ secrets: [secret, otherSecret()] }), 'An event signed with your secret and an older one');
      received(await send({ secrets: [otherSecret(), secret] }), 'An event signed with a newer secret and yours');
      refused(await send({ secrets: [otherSecret(), otherSecret()] }), 'An event with two wrong signatures');
    },
  },
  {
    id: 'webhook.large',
    rule: 'An event of nearly 1 MiB is received.',
    guide,
    advice: 'Raise the body limit to 1 MiB: many frameworks stop at 100 kB.',
    async run({ send, event }) {
      const filler = randomBytes(500_000).toString('hex');
      received(await send({ event: event({ filler }) }), 'An event of a million bytes');
    },
  },
  {
    id: 'webhook.slow-link',
    rule: 'An event that arrives slowly is received.',
    guide: answering,
    advice: 'Wait at least some seconds for the whole body, and collect its chunks.',
    async run({ send }) {
      received(await send({ slowlyMs }), `An event whose body took ${slowlyMs / 1000} s to arrive`);
    },
  },
  {
    id: 'webhook.burst',
    rule: `${burst} concurrent events all get 2xx in time.`,
    guide: answering,
    advice: 'Do nothing slow before you respond. Return 429 or 503 with Retry-After only if you must.',
    async run({ send }) {
      const all = await Promise.all(Array.from({ length: burst }, () => send()));
      const failed = all.filter((exchange) => !isReceipt(exchange));
      if (failed[0] !== undefined) received(failed[0], `One of ${failed.length} of ${burst} events at the same moment`);
    },
  },
];

/** If a receiver accepts no event at all, only that is reported. */
function onlyAfter(check: Check<Receiver>): Check<Receiver> {
  if (check.id === acceptance) return check;
  const run = () => Promise.reject(new NotChecked('unchecked', `First a valid event must be received: ${acceptance}.`));
  return { ...check, run };
}

export async function checkWebhook(toCheck: ReceiverToCheck, how: HowToCheck): Promise<Report> {
  const started_at = new Date().toISOString();
  const receiver = receiverOf(toCheck, how.signal);
  const first = await receiver.send();
  if (first.answer === null) throw new Failure(`No receiver responds at ${toCheck.url}: ${first.fault}.`);
  const checks = chosenAmong(webhookChecks, how.only).map((check) => (isReceipt(first) ? check : onlyAfter(check)));
  const results = await runChecks(checks, receiver, how);
  return reportOf({ target: toCheck.url, kind: 'webhook', started_at }, how.only, results);
}
