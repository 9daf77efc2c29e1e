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

const guide = 'partners#webhooks';
const answering = 'partners#answering-and-what-comes-again';

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
    rule: 'A rightly signed event is answered 2xx.',
    guide,
    advice: 'Answer 204 as soon as the event is kept; a redirect counts as a failure.',
    async run({ send }) {
      received(await send(), 'A rightly signed event');
    },
  },
  {
    id: 'webhook.in-time',
    rule: 'It is answered well before the service gives up.',
    guide: answering,
    advice: 'Keep the event, answer, and do the work afterwards.',
    async run({ send, timeoutMs }) {
      const exchange = await send();
      const { answer } = exchange;
      if (answer === null) received(exchange, 'An event');
      if (answer === null || answer.duration_ms <= timeoutMs / 2) return;
      const took = `${answer.duration_ms / 1000} s of ${timeoutMs / 1000} s`;
      throw new Broken(`The answer took ${took}: a busy moment more, and it would count as a failure.`, exchange);
    },
  },
  {
    id: 'webhook.unsigned',
    rule: 'An event without a signature is refused.',
    guide,
    advice: 'Refuse with 401 where neither X-REQUEST-SIGN nor webhook-signature is there.',
    async run({ send }) {
      const unsigned = (signed: Record<string, string>) => without('standard')(without('request')(signed));
      refused(await send({ headers: unsigned }), 'An event without a signature');
    },
  },
  {
    id: 'webhook.wrong-signature',
    rule: 'An event that is signed with another secret is refused.',
    guide,
    advice: 'Make the HMAC with your secret and compare it with the one that came, in constant time.',
    async run({ send }) {
      refused(await send({ secrets: [otherSecret()] }), 'An event signed with another secret');
    },
  },
  {
    id: 'webhook.empty-signature',
    rule: 'An event whose signature is empty is refused.',
    guide,
    advice:
      'Treat an empty X-REQUEST-SIGN or webhook-signature as one that is wrong; every text starts with an empty one.',
    async run(receiver) {
      const nothing: Delivery = { headers: (signed) => ({ ...without('request')(signed), 'webhook-signature': '' }) };
      const deliveries = [...deliveriesWith(() => '', receiver.secret), nothing];
      await allRefused(receiver, deliveries, 'An event with an empty signature');
    },
  },
  {
    id: 'webhook.partial-signature',
    rule: 'A signature of which only a part is right is refused.',
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
    rule: 'A signature that is cut short, or has something behind it, is refused.',
    guide,
    advice: 'Compare the lengths first, and answer 401 where they differ; some functions that compare throw there.',
    async run(receiver) {
      const { secret } = receiver;
      await allRefused(receiver, deliveriesWith(cutShort, secret), 'The beginning of a signature');
      await allRefused(receiver, deliveriesWith(lengthened, secret), 'A signature with a byte more behind it');
    },
  },
  {
    id: 'webhook.altered-body',
    rule: 'An event that was changed after it was signed is refused.',
    guide,
    advice: 'Make the HMAC over every byte of the body that came.',
    async run({ send, event }) {
      const genuine = event();
      received(await send({ event: genuine }), 'A rightly signed event');
      const sentText = JSON.stringify(genuine).replace('"1.00"', '"9.00"');
      refused(await send({ event: genuine, sentText }), 'An event whose amount was changed');
    },
  },
  {
    id: 'webhook.raw-bytes',
    rule: 'The signature is checked over the bytes that came, not over JSON that was read and written again.',
    guide,
    advice: 'Take the raw body before a framework parses it, for example with express.raw().',
    async run({ send, event }) {
      const own = event();
      const text = `${JSON.stringify(own, null, 2).replace('check-player', 'sp\\u00e9ler ☘ \\/')}\n`;
      received(await send({ event: own, text }), 'An event with white space and escapes, rightly signed,');
    },
  },
  {
    id: 'webhook.old-time',
    rule: 'An event with an old time is refused, where the signature covers the time.',
    guide,
    advice: 'Refuse webhook-timestamp, or X-REQUEST-TIME, that is more than five minutes off.',
    async run(receiver) {
      const { send, signing } = receiver;
      const atMs = Date.now() - tenMinutesMs;
      const takesStandard = await isEnough(receiver, 'standard');
      if (!takesStandard && signing === 'plain' && (await isEnough(receiver, 'request'))) {
        const reason = 'The receiver goes by X-REQUEST-SIGN alone, which holds no time: it knows copies by event_id.';
        throw new NotChecked('skipped', reason);
      }
      const headers = takesStandard ? { headers: without('request') } : {};
      refused(await send({ atMs, ...headers }), 'An event signed ten minutes ago');
    },
  },
  {
    id: 'webhook.other-path',
    rule: 'With strict signing, an event that was signed for another address is refused.',
    guide: 'partners#stronger-calls',
    advice: 'Make the HMAC over X-REQUEST-TIME, the path of the request line and the body.',
    async run(receiver) {
      const { send, signing } = receiver;
      if (signing === 'plain') throw new NotChecked('skipped', 'The partner’s signing is not strict.');
      if (!(await isEnough(receiver, 'request'))) {
        throw new NotChecked('skipped', 'The receiver does not go by X-REQUEST-SIGN alone.');
      }
      const headers = without('standard');
      refused(await send({ signedPath: '/somewhere/else', headers }), 'An event signed for another path');
      const timeless = (signed: Record<string, string>) => ({ ...headers(signed), [timeHeader]: '' });
      refused(await send({ headers: timeless }), 'An event without X-REQUEST-TIME');
    },
  },
  {
    id: 'webhook.duplicate',
    rule: 'An event that comes again is answered 2xx again.',
    guide: answering,
    advice: 'Look for its event_id among those you have, do nothing more, and answer 2xx all the same.',
    async run({ send, event }) {
      const own = event();
      for (const what of ['An event', 'The same event again', 'The same event a third time']) {
        received(await send({ event: own }), what);
      }
    },
  },
  {
    id: 'webhook.out-of-order',
    rule: 'Events that come in another order than they happened are answered 2xx.',
    guide: answering,
    advice: 'Keep what comes, and go by sequence where the order matters.',
    async run({ send, event }) {
      const [first, second, third] = [event(), event(), event()];
      for (const own of [third, first, second]) {
        received(await send({ event: own }), `The event ${own.sequence}, after a later one,`);
      }
    },
  },
  {
    id: 'webhook.unknown-type',
    rule: 'An event of an unknown type, or with unknown fields, is answered 2xx.',
    guide: 'partners#events',
    advice: 'Pass over what you do not know; more types and fields will come.',
    async run({ send, event }) {
      received(await send({ event: event({ type: 'freebet.invented', data: { thing: {} } }) }), 'An unknown type');
      received(await send({ event: event({ invented: { deep: [1] } }) }), 'An event with an unknown field');
    },
  },
  {
    id: 'webhook.rotated-secret',
    rule: 'While the secret is changed, an event is good if one of its signatures fits.',
    guide: 'partners#when-the-secret-is-changed',
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
    advice: 'Raise the limit of the body to 1 MiB; many frameworks stop at 100 kB.',
    async run({ send, event }) {
      const filler = randomBytes(500_000).toString('hex');
      received(await send({ event: event({ filler }) }), 'An event of a million bytes');
    },
  },
  {
    id: 'webhook.slow-link',
    rule: 'An event that comes slowly is received.',
    guide: answering,
    advice: 'Wait for the whole body for some seconds at least, and gather its pieces.',
    async run({ send }) {
      received(await send({ slowlyMs }), `An event whose body took ${slowlyMs / 1000} s to come`);
    },
  },
  {
    id: 'webhook.burst',
    rule: `${burst} events at the same moment are all answered 2xx in time.`,
    guide: answering,
    advice: 'Do nothing slow before the answer; answer 429 or 503 with Retry-After only when you must.',
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
  const run = () => Promise.reject(new NotChecked('unchecked', `First a right event must be received: ${acceptance}.`));
  return { ...check, run };
}

export async function checkWebhook(toCheck: ReceiverToCheck, how: HowToCheck): Promise<Report> {
  const started_at = new Date().toISOString();
  const receiver = receiverOf(toCheck, how.signal);
  const first = await receiver.send();
  if (first.answer === null) throw new Failure(`No receiver answers at ${toCheck.url}: ${first.fault}.`);
  const checks = chosenAmong(webhookChecks, how.only).map((check) => (isReceipt(first) ? check : onlyAfter(check)));
  const results = await runChecks(checks, receiver, how);
  return reportOf({ target: toCheck.url, kind: 'webhook', started_at }, how.only, results);
}
