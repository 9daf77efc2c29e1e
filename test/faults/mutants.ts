import { randomUUID } from 'node:crypto';
import { basePath, type OperationName, operations, sign } from '@freebets/contract';
import fc from 'fast-check';
import { demo, json, rival } from '../support/caller.ts';
import { lantern } from '../support/provider.ts';
import { campaign, directIssue, games, inDays } from '../support/requests.ts';
import { bodyBytes, byteChanges } from './mutated-bytes.ts';
import { changes, type Json, mutate } from './mutations.ts';

// Requests that began as valid ones of every operation and went wrong somewhere: in a value, in the structure, in the
// bytes, in a header, in the method or the path. Most are signed over the final bytes, so that they are not turned
// away at the door.

export interface Mutant {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** They exist on the server that is fuzzed, so that some mutants find something. */
export const knownCampaign = 'known';
export const knownIssue = randomUUID();
/** Never cancelled but by chance, so that it can be played. */
export const playedIssue = randomUUID();

const byCampaign = { campaign_id: knownCampaign, player_id: 'player-1', currency: 'EUR' };
const coefficients = { min_coefficient: '1.20', max_coefficient: '5' };
const direct = { ...directIssue({ name: 'A gift', config: coefficients }), valid_from: inDays(1), duration_min: 60 };
const cursor = Buffer.from(JSON.stringify([Date.now(), knownIssue])).toString('base64url');

const begun: [OperationName, object][] = [
  ['CampaignCreate', campaign({ config: { ...coefficients, bonus_limit: 5, bonus_limit_per_user: 2 } })],
  ['CampaignCreate', campaign({ campaign_id: knownCampaign, duration_min: 60, games: games.ofFirstProvider })],
  ['CampaignGet', { campaign_id: knownCampaign }],
  ['CampaignList', { status: 'active', created_from: inDays(-1), created_until: inDays(1), limit: 3, cursor }],
  ['CampaignStop', { campaign_id: 'stopped' }],
  ['CampaignPause', { campaign_id: 'stopped' }],
  ['CampaignResume', { campaign_id: knownCampaign }],
  ['CampaignLimits', { campaign_id: knownCampaign, bonus_limit: 500, bonus_limit_per_user: null }],
  ['Issue', { ...byCampaign, issue_id: knownIssue }],
  ['Issue', { ...direct, issue_id: knownIssue }],
  ['Issue', direct],
  ['IssueBatch', { items: [byCampaign, direct, { ...byCampaign, issue_id: knownIssue }] }],
  ['Cancel', { issue_id: knownIssue }],
  ['Cancel', { issue_id: knownIssue, dry_run: true }],
  ['CancelBatch', { issue_ids: [knownIssue, randomUUID()] }],
  ['Issue', { ...direct, dry_run: true }],
  ['FreeBetGet', { issue_id: knownIssue }],
  ['FreeBetList', { player_id: 'player-1', campaign_id: knownCampaign, status: 'active', limit: 3, cursor }],
  ['FreeBetList', { issued_from: inDays(-1), issued_until: inDays(1), cursor }],
  ['GameList', {}],
  ['EventsList', { after: 1, limit: 5 }],
];

const round = { provider_id: lantern.providerId, client_id: demo.clientId };
const ofPlayer = { ...round, player_id: 'player-1', game_id: games.one };
const knownBet = { ...round, bet_id: randomUUID() };
const rounds: [OperationName, object][] = [
  ['RoundsAvailable', { ...ofPlayer, currency: 'EUR' }],
  ['RoundsBet', { ...ofPlayer, ...knownBet, issue_id: playedIssue, coefficient: '1.5' }],
  ['RoundsBet', { ...ofPlayer, bet_id: randomUUID(), issue_id: playedIssue }],
  ['RoundsSettle', { ...knownBet, result: 'won', coefficient: '2.0' }],
  ['RoundsSettle', { ...knownBet, result: 'lost' }],
  ['RoundsRollback', knownBet],
  ['RoundsGet', knownBet],
  ['RoundsOpen', { ...round, placed_until: inDays(1), limit: 3, cursor }],
];

const ofPartner = begun.map(([name, body]) => ({
  name,
  body: { client_id: demo.clientId, ...body },
  secret: demo.secret,
}));
const ofProvider = rounds.map(([name, body]) => ({ name, body, secret: lantern.secret }));
const valid = fc.constantFrom(...ofPartner, ...ofProvider);

const otherPaths = [
  '/',
  '/v3',
  '/v3/',
  '/v3/FreeBets/Issue/',
  '/v3//FreeBets/Issue',
  '/v3/freebets/issue',
  '/v3/FreeBets/Issue%00',
  '/v3/FreeBets/%49ssue',
  '/v3/FreeBets/Issue?client_id=1&x=%zz',
  '/v3/FreeBets/Issue#x',
  '/v3/FreeBets/Issue;x=1',
  '/v3/../v3/FreeBets/Issue',
  '/v3/%2e%2e/FreeBets/Issue',
  '/v3/%',
  '/v3/%ff%fe',
  '/v3/:name',
  '/v3/:name(',
  '/v3/FreeBets/:name(^\\d+$)',
  '/v3/*',
  '/*',
  '*',
  '//',
  '/assets/games/:game/:file',
  '/assets/games/x/y.svg',
  `/assets/games/${games.one}/square.svg`,
  `/assets/games/${'x'.repeat(120)}/square.svg`,
  '/assets/games/%2e%2e%2f%2e%2e%2fetc%2fpasswd/square.svg',
  '/openapi.json',
  '/livez',
  '/readyz',
  '/metrics',
  '/docs',
  '/docs/../../package.json',
  `/v3/${'x'.repeat(4000)}`,
  '/__proto__',
  '/constructor/prototype',
];

const printable = fc.string({ unit: fc.constantFrom(...'/:*()%?#.;=&abcv3FreeBets~!$,@[]{}|^`\\<>"'), maxLength: 30 });
const path = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...otherPaths) },
  { weight: 1, arbitrary: printable.map((text) => `/${text}`) },
  { weight: 1, arbitrary: printable.map((text) => `/v3/FreeBets/${text}`) },
);

const method = fc.oneof(
  { weight: 25, arbitrary: fc.constant('POST') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'GET',
      'HEAD',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'M-SEARCH',
    ),
  },
);

const headerValue = fc.string({ unit: fc.constantFrom(...'az09 ,;="/*-._\té\xff'), maxLength: 40 });
const contentTypes = [
  '',
  'text/plain',
  'application/jsonx',
  'application/json;charset=utf-16',
  'application/json; charset="',
  'APPLICATION/JSON ; x=y',
  'application/json, text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json;',
  '/',
];
const header = fc.oneof(
  fc.tuple(fc.constant('content-type'), fc.oneof(fc.constantFrom(...contentTypes), headerValue)),
  fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'identity', 'br, gzip', 'x', '')),
  fc.tuple(fc.constant('accept-encoding'), fc.oneof(fc.constantFrom('gzip', '*;q=0', 'gzip;q=0.0001'), headerValue)),
  fc.tuple(fc.constant('if-none-match'), fc.oneof(fc.constantFrom('*', 'W/""', '"a", "b"'), headerValue)),
  fc.tuple(fc.constant('x-request-id'), fc.oneof(fc.constantFrom('mine-1', 'a'.repeat(65), '../..'), headerValue)),
  fc.tuple(fc.constant('accept'), headerValue),
  fc.tuple(fc.constant('accept-version'), fc.constantFrom('1.0.0', '1.x', '*', 'é')),
  fc.tuple(fc.constant('origin'), headerValue),
  fc.tuple(fc.constant('x-forwarded-for'), headerValue),
  fc.tuple(fc.constantFrom('__proto__', 'constructor', 'x-http-method-override', 'cookie'), headerValue),
  fc.tuple(fc.constant('expect'), fc.constantFrom('100-continue', '200-ok', 'x')),
  fc.tuple(fc.constant('x-long'), fc.constantFrom('x'.repeat(8_000))),
);
const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(header, { minLength: 1, maxLength: 3 }) },
);

type Signature = (body: Buffer, secret: string) => string | undefined;
const rightly: Signature = (body, secret) => sign(body, secret);
const wrongly: Signature[] = [
  () => undefined,
  () => '',
  (body, secret) => sign(body, secret).toUpperCase(),
  (body, secret) => sign(body, secret).slice(0, 63),
  (body, secret) => `${sign(body, secret)}, ${sign(body, secret)}`,
  (body, secret) => `sha256=${sign(body, secret)}`,
  (body) => sign(body, rival.secret),
  () => 'é'.repeat(32),
  () => 'x'.repeat(64),
];
const signature = fc.oneof(
  { weight: 20, arbitrary: fc.constant(rightly) },
  { weight: 1, arbitrary: fc.constantFrom(...wrongly) },
);

export const mutants: fc.Arbitrary<Mutant> = fc
  .record({ valid, path, method, headers, signature, changes, byteChanges })
  .map((parts) => {
    const body = bodyBytes(mutate(parts.valid.body as Json, parts.changes), parts.byteChanges);
    const signed = parts.signature(body, parts.valid.secret);
    return {
      method: parts.method,
      path: parts.path ?? basePath + operations[parts.valid.name].path,
      headers: {
        ...json,
        ...(signed !== undefined && { 'x-request-sign': signed }),
        ...Object.fromEntries(parts.headers),
      },
      body,
    };
  });
