import { randomBytes } from 'node:crypto';
import { signerOf } from '@freebets/client';
import { paths, signatureHeader } from '@freebets/contract';
import type { Check } from '../check.ts';
import { bodyIn } from '../exchange.ts';
import { campaignOf, directIssue, issueFrom, type Parties, type Party } from './parties.ts';
import { bytesOf, holds, mustRefuse, mustSucceed, type SendOptions } from './wire.ts';

/** A request that changes nothing, even if the server wrongly accepts it. */
const harmless = { after: 0, limit: 1 };
const ask = (party: Party, how?: SendOptions) => party.send('EventsList', harmless, how);

async function isForbidden(party: Party, how: SendOptions, what: string): Promise<void> {
  mustRefuse(await ask(party, how), 'forbidden', what);
}

/** Signed with this time, as strict partners sign. */
const timed = (timeMs: number): SendOptions => ({ timeMs });
const tenMinutesMs = 600_000;

export const signatureChecks: Check<Parties>[] = [
  {
    id: 'signature.accepted',
    rule: 'A request with a valid signature is accepted, in upper-case or lower-case hexadecimal.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Compare the bytes of the two signatures, or their lower-case hexadecimal.',
    async run({ us }) {
      mustSucceed(await ask(us), 'A correctly signed request');
      const upper: SendOptions['sign'] = async (bytes) => (await signerOf(us.secret)(bytes)).toUpperCase();
      mustSucceed(await ask(us, { sign: upper }), 'A signature in upper-case hexadecimal');
    },
  },
  {
    id: 'signature.missing',
    rule: 'A request without a signature is refused with 403.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Refuse a request with a missing or empty X-REQUEST-SIGN first.',
    async run({ us }) {
      await isForbidden(us, { headers: { [signatureHeader]: undefined } }, 'A request without a signature');
      await isForbidden(us, { headers: { [signatureHeader]: '' } }, 'A request with an empty signature');
    },
  },
  {
    id: 'signature.wrong',
    rule: 'A signature that is wrong in one digit is refused with 403.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Compare all 32 bytes of the signature, in constant time.',
    async run({ us }) {
      const wrongAt = (at: number): SendOptions => ({
        sign: async (bytes) => {
          const right = await signerOf(us.secret)(bytes);
          return right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1);
        },
      });
      await isForbidden(us, wrongAt(63), 'A signature that is wrong in its last digit');
      await isForbidden(us, wrongAt(0), 'A signature that is wrong in its first digit');
    },
  },
  {
    id: 'signature.malformed',
    rule: 'A truncated signature, or one in another encoding, is refused with 403.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Accept exactly 64 hexadecimal digits and nothing else.',
    async run({ us }) {
      const written = (write: (right: string) => string): SendOptions => ({
        sign: async (bytes) => write(await signerOf(us.secret)(bytes)),
      });
      await isForbidden(
        us,
        written((right) => right.slice(0, 32)),
        'The first half of a signature',
      );
      await isForbidden(
        us,
        written((right) => `${right}00`),
        'A signature with extra characters',
      );
      await isForbidden(
        us,
        written((right) => Buffer.from(right, 'hex').toString('base64')),
        'A signature in base64',
      );
    },
  },
  {
    id: 'signature.other-secret',
    rule: "A request signed with another caller's secret is refused with 403.",
    guide: 'partners/authentication#the-signed-text',
    advice: 'Look up the secret by the client_id of the body, and try no other.',
    async run({ us, other }) {
      await isForbidden(us, { sign: signerOf(randomBytes(32).toString('base64url')) }, 'A made-up secret');
      if (other === undefined) return;
      await isForbidden(us, { sign: signerOf(other.secret) }, 'A request signed with another partner’s secret');
    },
  },
  {
    id: 'signature.altered-body',
    rule: 'A signature is valid for one body only.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Calculate the HMAC over every byte of the body, for every request.',
    async run({ us }) {
      const signedBytes = bytesOf({ client_id: us.clientId, ...harmless });
      mustSucceed(await ask(us, { bytes: signedBytes }), 'A correctly signed request');
      const bytes = bytesOf({ client_id: us.clientId, ...harmless, limit: 2 });
      await isForbidden(us, { bytes, signedBytes }, 'A body that was changed after it was signed');
    },
  },
  {
    id: 'signature.raw-bytes',
    rule: 'The signature is checked over the received bytes, not over parsed and rewritten JSON.',
    guide: 'partners/authentication#the-signed-text',
    advice: 'Take the body as raw bytes, before a framework parses it, and calculate the HMAC over them.',
    async run({ us }) {
      const bytes = bytesOf(`{ "limit" : 1,\r\n\t"after":0e0, "cl\\u0069ent_id": ${us.clientId} }\n`);
      mustSucceed(await ask(us, { bytes }), 'A correctly signed body with unusual white space and escapes');
      const signedBytes = bytesOf(JSON.parse(Buffer.from(bytes).toString()));
      await isForbidden(us, { bytes, signedBytes }, 'A signature over the rewritten JSON');
    },
  },
  {
    id: 'signature.replay',
    rule: 'A captured request that is sent again changes nothing.',
    guide: 'partners/retries#which-ids-make-a-request-repeatable',
    advice: 'Identify every write by its id, and apply it once.',
    async run({ us }) {
      const seen = issueFrom(us, await campaignOf(us, { bonus_limit: 2 }));
      for (let i = 0; i < 3; i++) await us.send('Issue', seen);
      const next = await us.send('Issue', issueFrom(us, seen.campaign_id));
      mustSucceed(next, 'Three equal requests took one of two places. The next request');
    },
  },
  {
    id: 'signature.old-time',
    rule: 'With X-REQUEST-TIME, a time more than 300 seconds off is refused with 403.',
    guide: 'partners/authentication#ask-for-strict-signing',
    advice: 'Compare X-REQUEST-TIME with a correct clock, in both directions.',
    async run({ us }) {
      mustSucceed(await ask(us, timed(Date.now())), 'A request signed with the present time');
      await isForbidden(us, timed(Date.now() - tenMinutesMs), 'A request of ten minutes ago');
      await isForbidden(us, timed(Date.now() + tenMinutesMs), 'A request of ten minutes ahead');
    },
  },
  {
    id: 'signature.other-path',
    rule: 'With X-REQUEST-TIME, a request signed for one operation is refused at another with 403.',
    guide: 'partners/authentication#ask-for-strict-signing',
    advice: 'If X-REQUEST-TIME is sent, calculate the HMAC over the time, the path and the body.',
    async run({ us }) {
      const { issue_id } = await us.call('Issue', directIssue(us));
      const path = `/v3${paths.Cancel.path}`;
      const moved = await us.send('FreeBetGet', { issue_id }, { timeMs: Date.now(), path });
      mustRefuse(moved, 'forbidden', 'A read that was redirected to /FreeBets/Cancel');
    },
  },
  {
    id: 'signature.one-refusal',
    rule: "An unknown partner gets the same 403 as a wrong signature, so that partner ids can't be discovered.",
    guide: 'partners/authentication#fix-a-403',
    advice: 'Send the same response to every caller that fails authentication.',
    async run({ us }) {
      const wrong = await ask(us, { headers: { [signatureHeader]: '0'.repeat(64) } });
      const unknown = await ask(us, { bytes: bytesOf({ client_id: 2_147_483_646, ...harmless }) });
      mustRefuse(unknown, 'forbidden', 'A request of an unknown partner');
      const textOf = (exchange: typeof wrong) => JSON.stringify({ ...bodyIn(exchange), request_id: '' });
      const isSame = wrong.answer?.status === unknown.answer?.status && textOf(wrong) === textOf(unknown);
      holds(isSame, 'An unknown partner gets another response than a wrong signature.', unknown);
    },
  },
];
