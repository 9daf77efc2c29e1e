import { randomUUID } from 'node:crypto';
import { basePath, errors, operations, signatureHeader } from '@freebets/contract';
import { Broken, type Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { campaignOf, directIssue, issueFrom, newCampaign, type Parties, type Party } from './parties.ts';
import { bytesOf, holds, mustSucceed, statusOf } from './wire.ts';

const guide = 'reference/errors#errors-cause-and-fix';

/** Provokes refusals of every kind that is easy to cause. */
async function refusalsOf(us: Party): Promise<Exchange[]> {
  const wrong = { [signatureHeader]: '0'.repeat(64) };
  const campaign = await campaignOf(us);
  await us.send('CampaignStop', { campaign_id: campaign });
  const past = { valid_from: '2020-01-01T00:00:00Z', valid_until: '2020-01-02T00:00:00Z' };
  const all = [
    await us.send('EventsList', { limit: 'many' }),
    await us.send('EventsList', {}, { headers: wrong }),
    await us.send('EventsList', {}, { path: `${basePath}/FreeBets/Nothing` }),
    await us.send('EventsList', {}, { method: 'GET' }),
    await us.send('EventsList', {}, { headers: { 'content-type': 'text/plain' } }),
    await us.send('FreeBetGet', { issue_id: randomUUID() }),
    await us.send('CampaignGet', { campaign_id: randomUUID() }),
    await us.send('Issue', directIssue(us, { games: ['check-no-such-game'] })),
    await us.send('Issue', directIssue(us, { currency: 'NOSUCH' })),
    await us.send('Issue', directIssue(us, past)),
    await us.send('Issue', issueFrom(us, campaign)),
  ];
  // Other rules check that these are refused.
  return all.filter((exchange) => statusOf(exchange) !== 200);
}

/** The server may return any value as the error. */
const rowOf = (name: unknown) =>
  typeof name === 'string' && name in errors ? errors[name as keyof typeof errors] : undefined;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const errorChecks: Check<Parties>[] = [
  {
    id: 'errors.form',
    rule: 'Every refusal is a JSON object with code, error, message and request_id.',
    guide,
    advice: 'Write all errors in one place, including errors of the framework.',
    async run({ us }) {
      for (const exchange of await refusalsOf(us)) {
        const { code, error, message, request_id } = bodyIn(exchange) ?? {};
        const isWhole = Number.isInteger(code) && [error, message, request_id].every(isText);
        holds(isWhole, 'A refusal does not have the format of an error.', exchange);
      }
    },
  },
  {
    id: 'errors.table',
    rule: 'Every error has the number and the HTTP status of the table.',
    guide,
    advice: 'Take both from the table of errors.',
    async run({ us }) {
      for (const exchange of await refusalsOf(us)) {
        const { error, code } = bodyIn(exchange) ?? {};
        const row = rowOf(error);
        holds(row !== undefined, `There is no error ${String(error)}.`, exchange);
        const isRight = row.code === code && row.status === exchange.answer?.status;
        holds(isRight, `${String(error)} has the number ${row.code} and the status ${row.status}.`, exchange);
      }
    },
  },
  {
    id: 'errors.details',
    rule: 'A 400 lists every invalid field by its path.',
    guide,
    advice: 'Collect all errors of the schema, and write paths such as bet_amounts[1].amount.',
    async run({ us }) {
      const { currency } = us.game;
      const bet_amounts = [
        { currency, amount: '1.00' },
        { currency: 'USDT', amount: '1' },
      ];
      const exchange = await us.send('CampaignCreate', { ...newCampaign(us), bet_amounts, quantity: 0 });
      const { details = [] } = (bodyIn(exchange) ?? {}) as { details?: { field?: unknown }[] };
      const fields = Array.isArray(details) ? details.map(({ field }) => field) : [];
      const isRight = fields.includes('quantity') && fields.includes('bet_amounts[1].amount');
      holds(isRight, 'The details must list quantity and bet_amounts[1].amount.', exchange);
    },
  },
  {
    id: 'errors.request-id',
    rule: 'Every response has X-Request-Id: the caller’s own if it is well formed. Errors repeat it.',
    guide: 'partners/retries#which-ids-make-a-request-repeatable',
    advice:
      'Keep up to 64 characters of A-Za-z0-9._- unchanged. Create an id if there is none, or if it has another ' +
      'form.',
    async run({ us }) {
      const own = `check-${randomUUID()}`;
      const good = await us.send('EventsList', { limit: 1 }, { headers: { 'x-request-id': own } });
      holds(good.answer?.headers['x-request-id'] === own, 'The X-Request-Id of the caller is not kept.', good);
      const bad = await us.send('EventsList', { limit: 0 }, { headers: { 'x-request-id': own } });
      holds(bodyIn(bad)?.request_id === own, 'The error does not repeat the X-Request-Id.', bad);
      const odd = await us.send('EventsList', { limit: 1 }, { headers: { 'x-request-id': 'a b' } });
      const made = odd.answer?.headers['x-request-id'];
      holds(isText(made) && made !== 'a b', 'A malformed X-Request-Id must be replaced.', odd);
    },
  },
  {
    id: 'errors.unknown-bytes',
    rule: 'A body that is not UTF-8 gets 400, not an error of the service.',
    guide: 'reference/formats#values',
    advice: 'Refuse bytes that are not UTF-8 before parsing them.',
    async run({ us }) {
      const start = bytesOf(`{"client_id":${us.clientId},"player_id":"`);
      const bytes = new Uint8Array([...start, 0xff, 0xfe, ...bytesOf('"}')]);
      const exchange = await us.send('FreeBetList', {}, { bytes });
      holds(exchange.answer?.status === 400, 'A body with bytes that are not UTF-8 must get 400.', exchange);
    },
  },
];

type Asked = [name: Parameters<Party['send']>[0], request: object];

/** All operations of partners except jobs and setting the clock, which have their own rules. */
function validRequests(us: Party): Asked[] {
  const [campaign, direct, played] = [newCampaign(us), directIssue(us), directIssue(us)];
  const { campaign_id } = campaign;
  const { issue_id } = direct;
  const items = [issueFrom(us, campaign_id), played];
  const inSandbox: Asked[] = [
    ['SandboxClockGet', {}],
    ['SandboxRound', { issue_id: played.issue_id, result: 'won', coefficient: '2' }],
  ];
  return [
    ['GameList', {}],
    ['CampaignCreate', campaign],
    ['CampaignPause', { campaign_id }],
    ['CampaignResume', { campaign_id }],
    ['CampaignLimits', { campaign_id, bonus_limit: 3, bonus_limit_per_user: null }],
    ['CampaignGet', { campaign_id }],
    ['CampaignList', { limit: 5 }],
    ['Issue', direct],
    ['IssueBatch', { items }],
    ...(us.isSandbox ? inSandbox : []),
    ['FreeBetGet', { issue_id }],
    ['FreeBetList', { player_id: direct.player_id }],
    ['EventsList', { limit: 5 }],
    ['Cancel', { issue_id }],
    ['CancelBatch', { issue_ids: items.map((item) => item.issue_id) }],
    ['CampaignStop', { campaign_id }],
  ];
}

/** Runs last, because it evaluates all responses of the other checks. */
export const answersCheck: Check<Parties> = {
  id: 'errors.answers',
  rule: 'Responses have the fields and formats of the reference, and the type application/json.',
  guide: 'partners/issue-and-cancel#read-and-list',
  advice: 'Compare the response with the OpenAPI document at /openapi.json.',
  async run({ us }) {
    for (const [name, request] of validRequests(us)) mustSucceed(await us.send(name, request));
    const [first, ...more] = us.seen.mismatches;
    if (first === undefined) return;
    const [name, { reason, exchange }] = first;
    const others = more.map(([other]) => operations[other].path).join(', ');
    const alike = others && ` Neither are the responses of ${others}.`;
    throw new Broken(
      `The response of ${operations[name].path} differs from the reference: ${reason}.${alike}`,
      exchange,
    );
  },
};
