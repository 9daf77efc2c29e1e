import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema, GameListResponse, IssueItem, maxDetails, operations } from '@freebets/contract';
import { Type } from 'typebox';
import { schemasIn } from './schemas.ts';

// What an answer says about a field that is wrong, in words that need no knowledge of schemas.

const validators = Object.fromEntries(
  Object.entries(operations).map(([name, { request }]) => [name, compileSchema(request)]),
);

const campaign = operations.CampaignCreate.example.request;

/** The reason for one field, when this is changed in a request that is right. */
function reasonFor(field: string, change: object, operation = 'CampaignCreate', request: object = campaign): string {
  // As JSON, without undefined fields.
  const sent = JSON.parse(JSON.stringify({ ...request, ...change }));
  const details = validators[operation]?.(sent) ?? [];
  assert.deepEqual([...new Set(details.map((detail) => detail.field))], [field], JSON.stringify(details));
  return details.map(({ reason }) => reason).join('; ');
}

test('every keyword has its words', () => {
  const [game = ''] = campaign.games;
  const reasons: [field: string, change: object, reason: string][] = [
    ['client_id', { client_id: '1' }, 'must be a whole number'],
    ['quantity', { quantity: 1.5 }, 'must be a whole number'],
    ['quantity', { quantity: null }, 'must be a whole number'],
    ['quantity', { quantity: 0 }, 'must be at least 1'],
    ['quantity', { quantity: 1001 }, 'must be at most 1000'],
    ['name', { name: '' }, 'must not be empty'],
    ['name', { name: 'x'.repeat(256) }, 'must have at most 255 characters'],
    ['games', { games: [] }, 'must not be empty'],
    ['games', { games: Array.from({ length: 501 }, (_, i) => `g${i}`) }, 'must have at most 500 items'],
    ['games', { games: {} }, 'must be a list'],
    ['games', { games: [game, 'x', game] }, 'must not repeat: items 0 and 2 are equal'],
    ['config', { config: [] }, 'must be an object'],
    ['name', { name: undefined }, 'is missing'],
    ['bonus_limit', { bonus_limit: 1 }, 'is not a field of this request'],
    ...['2027-02-30T00:00:00Z', '1969-12-31T23:59:59Z'].map((valid_from): [string, object, string] => [
      'valid_from',
      { valid_from },
      'must be a time that exists, from 1970 on, such as 2027-01-31T12:00:00Z',
    ]),
    ['valid_from', { valid_from: 'soon' }, 'must be a time in UTC, such as 2027-01-31T12:00:00Z'],
    ['name', { name: 5 }, 'must be text: 1 to 255 printable characters, none that turns the direction of writing'],
    [
      'campaign_id',
      { campaign_id: 'a\u200bb' },
      "must be 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space",
    ],
    [
      'bet_amounts',
      { bet_amounts: [...campaign.bet_amounts, campaign.bet_amounts[0]] },
      'must not name the same currency twice',
    ],
    [
      'bet_amounts[0].amount',
      { bet_amounts: [{ currency: 'EUR', amount: '1' }] },
      'must be an amount with exactly two decimals, greater than zero, at most 13 digits before the point, such as "1.50"',
    ],
    [
      'bet_amounts[0].currency',
      { bet_amounts: [{ currency: 'eur', amount: '1.00' }] },
      'must be 3 to 10 capitals and digits, such as EUR or USDT',
    ],
    [
      'config.min_coefficient',
      { config: { min_coefficient: '3', max_coefficient: '2' } },
      'must not be above max_coefficient',
    ],
  ];
  for (const [field, change, reason] of reasons) {
    assert.equal(reasonFor(field, change), reason, JSON.stringify(change));
  }
  const limits = operations.CampaignLimits.example.request;
  const reasonForLimit = (bonus_limit: unknown) => reasonFor('bonus_limit', { bonus_limit }, 'CampaignLimits', limits);
  assert.deepEqual(['5', 1.5, 0].map(reasonForLimit), [
    'must be a whole number or null',
    'must be a whole number or null',
    'must be at least 1',
  ]);
  assert.equal(reasonFor('dry_run', { dry_run: 'yes' }), 'must be true or false');
  const list = operations.FreeBetList.example.request;
  assert.equal(
    reasonFor('status', { status: 'used' }, 'FreeBetList', list).slice(0, 30),
    'must be one of issued, active,',
  );
  assert.equal(
    reasonFor('cursor', { cursor: '?' }, 'FreeBetList', list),
    'must be the next_cursor of the previous page',
  );
});

test('no schema that refuses something has a keyword without words, or a pattern without its form', () => {
  const annotations = ['description', 'title', 'default', 'properties', 'items', 'then', 'else', 'const', 'if'];
  const ours = ['x-items', 'x-form', 'x-only', 'x-distinct-by', 'x-not-above', 'x-not-after'];
  const known = ['required', 'additionalProperties', 'type', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  const rest = ['minimum', 'maximum', 'pattern', 'format', 'enum', 'uniqueItems'];
  const words = new Set([...annotations, ...ours, ...known, ...rest]);
  const schemas = [...Object.values(operations).map(({ request }) => request), IssueItem, GameListResponse];
  const wordless = schemas.flatMap((schema) =>
    [...schemasIn(schema)].flatMap(([, inner]) => {
      const unknown = Object.keys(inner).filter((keyword) => !words.has(keyword) && !keyword.startsWith('~'));
      return inner.pattern !== undefined && inner['x-form'] === undefined ? [...unknown, inner.pattern] : unknown;
    }),
  );
  assert.deepEqual([...new Set(wordless)], []);
});

test('every deviation of a response is described in words', () => {
  for (const [name, { response, example }] of Object.entries(operations)) {
    const validate = compileSchema(response);
    for (const wrong of [undefined, null, [], 'text', 7, {}, ...spoiled(example.response)]) {
      for (const { reason } of validate(wrong)) assert.match(reason, /^(must|is|has) (?!.*undefined)/, name);
    }
  }
  const events = compileSchema(operations.EventsList.response);
  assert.equal(events({ events: [null], last_sequence: 1, oldest_sequence: 1 })[0]?.field, 'events[0]');
});

/** The value with one of its parts replaced by something else, for every part. */
function* spoiled(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const withPart = (part: unknown) =>
      Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: part });
    for (const part of [null, 'text', -1, [], {}, ...spoiled(inner)]) yield withPart(part);
  }
}

test('a keyword without a reason is an error of the service, not an untranslated reason', () => {
  assert.throws(() => compileSchema(Type.Number({ multipleOf: 2 }))(3), /no row for the keyword multipleOf/);
});

test('details are kept to a hundred, for values that are answered together as well', () => {
  const items = Array.from({ length: 60 }, () => 7);
  const validate = compileSchema(Type.Array(Type.String()));
  assert.equal(validate(Array.from({ length: 300 }, () => 7)).length, maxDetails);
  const budget = { left: maxDetails };
  assert.equal(validate(items, budget).length, 60);
  assert.equal(validate(items, budget).length, 40);
  assert.equal(validate(items, budget).length, 1);
});
