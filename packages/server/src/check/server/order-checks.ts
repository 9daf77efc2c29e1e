import { basePath, errors, signatureHeader } from '@freebets/contract';
import type { Check } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { directIssue, type Parties, type Party } from './parties.ts';
import { bytesOf, holds, mustRefuse, resultText, type SendOptions, statusOf } from './wire.ts';

// The order in which the server checks a request. Each of these requests has two errors, and the server must return the
// first.

const unsigned = { [signatureHeader]: '0'.repeat(64) };

const ask = (party: Party, how: SendOptions): Promise<Exchange> => party.send('EventsList', { limit: 1 }, how);

function answeredBy(exchange: Exchange, error: keyof typeof errors, what: string): void {
  const { status } = errors[error];
  holds(statusOf(exchange) === status, `${what} ${resultText(exchange)}; ${status} comes first.`, exchange);
}

const guide = 'reference/errors#errors-cause-and-fix';

export const orderChecks: Check<Parties>[] = [
  {
    id: 'order.path',
    rule: 'A path that does not exist gets 404, for every caller.',
    guide,
    advice: 'Check the path before the signature.',
    async run({ us }) {
      const exchange = await ask(us, { path: `${basePath}/FreeBets/Nothing`, headers: unsigned });
      answeredBy(exchange, 'unknown_operation', 'An unsigned request to an unknown path');
    },
  },
  {
    id: 'order.method',
    rule: 'Other methods than POST get 405 with Allow: POST.',
    guide,
    advice: 'Return 405 with the header Allow for every path that exists.',
    async run({ us }) {
      const exchange = await ask(us, { method: 'GET', headers: unsigned });
      answeredBy(exchange, 'method_not_allowed', 'A GET');
      holds(/\bPOST\b/.test(exchange.answer?.headers.allow ?? ''), 'The 405 has no Allow: POST.', exchange);
    },
  },
  {
    id: 'order.content-type',
    rule: 'Other content types than application/json get 415, before the signature is checked.',
    guide,
    advice: 'Check Content-Type before you read the body.',
    async run({ us }) {
      const exchange = await ask(us, { headers: { ...unsigned, 'content-type': 'text/plain' } });
      answeredBy(exchange, 'not_json', 'An unsigned request with the type text/plain');
    },
  },
  {
    id: 'order.size',
    rule: 'A body of more than 1 MiB gets 413, before the signature is checked.',
    guide,
    advice: 'Stop reading at 1 MiB and return 413. Do not close the connection before that.',
    async run({ us }) {
      const bytes = bytesOf({ client_id: us.clientId, limit: 1, filler: 'x'.repeat(1024 * 1024) });
      answeredBy(await ask(us, { bytes, headers: unsigned }), 'body_too_large', 'An unsigned body of more than 1 MiB');
    },
  },
  {
    id: 'order.json',
    rule: 'A body that is not a JSON object gets 400, before the signature is checked.',
    guide,
    advice: 'The body has the id of the caller: parse it first.',
    async run({ us }) {
      for (const text of ['{"client_id":', '[]', 'null']) {
        const exchange = await ask(us, { bytes: bytesOf(text), headers: unsigned });
        answeredBy(exchange, 'invalid_request', `The unsigned body ${text}`);
      }
    },
  },
  {
    id: 'order.caller',
    rule: 'A body without the id of the caller gets 400, not 403.',
    guide,
    advice: 'Report a missing or invalid client_id before you look up a secret.',
    async run({ us }) {
      const exchange = await ask(us, { bytes: bytesOf({ after: 0 }), headers: unsigned });
      answeredBy(exchange, 'invalid_request', 'A body without client_id');
    },
  },
  {
    id: 'order.signature',
    rule: 'The signature is checked before the fields, so that strangers learn nothing about them.',
    guide,
    advice: 'Check the signature before the schema.',
    async run({ us }) {
      const bytes = bytesOf({ client_id: us.clientId, limit: 'many' });
      answeredBy(await ask(us, { bytes, headers: unsigned }), 'forbidden', 'An unsigned request with a wrong field');
    },
  },
  {
    id: 'order.fields',
    rule: 'The fields are checked before the rules: an invalid request gets 400 invalid_request.',
    guide,
    advice: 'Check the whole schema before you look anything up.',
    async run({ us }) {
      const request = { ...directIssue(us), games: ['check-no-such-game'], quantity: 0 };
      const exchange = await us.send('Issue', request);
      mustRefuse(exchange, 'invalid_request', 'A quantity of 0 for a game that does not exist');
    },
  },
];
