import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationName } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, rival, sendSigned } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

/** Exactly these bytes, with the right signature. */
const sendBytes = (name: OperationName, body: string | Buffer, secret = demo.secret) =>
  sendSigned(url, name, body, { ...demo, secret });

test('bodies that are not JSON are refused', async () => {
  const broken = [
    '{',
    '{"client_id":1',
    '{"client_id":1}}',
    "{'client_id':1}",
    '{"client_id":1,}',
    '{client_id:1}',
    '\0',
  ];
  const almost = [
    '{"client_id":01}',
    '{"client_id":0x1}',
    '{"client_id":1}/**/',
    '{"client_id":NaN}',
    '{"a":"\n"}',
    ' ',
  ];
  for (const body of [...broken, ...almost]) refused('invalid_request', await sendBytes('CampaignList', body), ['']);
});

test('JSON values that are not objects are refused', async () => {
  for (const body of ['null', 'true', '1', '"client_id"', '[]', '[{"client_id":1}]']) {
    refused('invalid_request', await sendBytes('CampaignList', body), ['']);
  }
});

test('bytes that are not UTF-8 are refused, also where they have no effect', async () => {
  const around = (bytes: number[]) =>
    Buffer.concat([Buffer.from('{"client_id":1,"player_id":"'), Buffer.from(bytes), Buffer.from('"}')]);
  const latin1 = [0xe9];
  const cutOff = [0xe2, 0x82];
  const overlong = [0xc0, 0xaf];
  const surrogate = [0xed, 0xa0, 0x80];
  for (const bytes of [latin1, cutOff, overlong, surrogate]) {
    refused('invalid_request', await sendBytes('FreeBetList', around(bytes)), ['']);
  }
  refused('invalid_request', await sendBytes('CampaignList', Buffer.from('{"client_id":1}', 'utf16le')), ['']);
});

test('a byte order mark is not JSON', async () => {
  refused('invalid_request', await sendBytes('CampaignList', '\ufeff{"client_id":1}'), ['']);
});

test('the id of the caller must be there as a whole number', async () => {
  const wrong = ['"1"', 'null', '1.5', '[1]', '{"a":1}', 'true', '1e400', '9007199254740993', '""'];
  for (const id of wrong)
    refused('invalid_request', await sendBytes('CampaignList', `{"client_id":${id}}`), ['client_id']);
  for (const body of ['{}', '{"Client_id":1}', '{"__proto__":{"client_id":1}}']) {
    refused('invalid_request', await sendBytes('CampaignList', body), ['client_id']);
  }
  for (const id of ['0', '-1', '99999', '2147483648', '9007199254740991']) {
    refused('forbidden', await sendBytes('CampaignList', `{"client_id":${id}}`));
  }
  for (const id of ['1', '1.0', '1e0', '10e-1']) {
    accepted('CampaignList', await sendBytes('CampaignList', `{"client_id":${id}}`));
  }
});

test('a field that is named twice is refused by its name, in every spelling and at every depth', async () => {
  const twice: Record<string, string> = {
    '{"client_id":1,"client_id":2}': 'client_id',
    '{"client_id":1,"client_id":1}': 'client_id',
    '{"client_id":1,"client_i\\u0064":2}': 'client_id',
    '{"client_id":1,"\\u0063lient_id":2}': 'client_id',
    '{"limit":1,"client_id":1,"li\\u006dit":1}': 'limit',
    '{"client_id":1,"a/b":1,"a\\/b":2}': 'a/b',
    '{"client_id":1,"x":[0,{"a":1,"b":{"c":1,"c":1}}]}': 'x[1].b.c',
  };
  for (const [body, field] of Object.entries(twice)) {
    for (const secret of [demo.secret, rival.secret, 'of-unknown']) {
      const { details } = refused('invalid_request', await sendBytes('CampaignList', body, secret), [field]);
      assert.equal(details[0].reason, 'must not be named twice');
    }
  }
  const sameNames = '{"client_id":1,"items":[{"client_id":1},{"client_id":1}],"config":{"items":1}}';
  const { details } = refused('invalid_request', await sendBytes('CampaignList', sameNames), ['config', 'items']);
  assert.ok(details.every(({ reason }: { reason: string }) => reason === 'is not a field of this request'));
});

test('the reason tells a wrong id of the caller from one that is missing', async () => {
  const reasonFor = async (name: OperationName, body: string) =>
    refused('invalid_request', await sendBytes(name, body)).details[0];
  for (const id of ['"1"', 'null', '1.5', '[1]', '{"a":1}', 'true', '1e400']) {
    const reason = 'must be a whole number';
    assert.deepEqual(await reasonFor('CampaignList', `{"client_id":${id}}`), { field: 'client_id', reason });
  }
  assert.deepEqual(await reasonFor('CampaignList', '{}'), { field: 'client_id', reason: 'is missing' });
  assert.deepEqual(await reasonFor('RoundsBet', '{"provider_id":1}'), {
    field: 'provider_id',
    reason: 'must be text',
  });
  assert.deepEqual(await reasonFor('RoundsBet', '{"client_id":1}'), { field: 'provider_id', reason: 'is missing' });
});

test('what an unsigned body costs is bounded: nesting and the number of fields are counted before anything is built', async () => {
  const nested = (depth: number) => `{"client_id":1,"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const fields = (count: number) =>
    `{"client_id":1${Array.from({ length: count - 1 }, (_, i) => `,"x${i}":1`).join('')}}`;
  refused('forbidden', await sendBytes('CampaignList', nested(16), 'of-unknown'));
  refused('forbidden', await sendBytes('CampaignList', fields(32), 'of-unknown'));
  for (const body of [nested(17), fields(33)]) {
    refused('invalid_request', await sendBytes('CampaignList', body, 'of-unknown'), ['']);
    refused('invalid_request', await sendBytes('CampaignList', body), ['']);
  }
});

test('no answer names more than a hundred fields, by rules either', async () => {
  const games = Array.from({ length: 500 }, (_, i) => `no-such-game-${i}`);
  const { details } = refused('game_not_available', await call(url, 'Issue', directIssue({ games })));
  assert.equal(details.length, 100);
});

test('keys that mean something to JavaScript are unknown fields', async () => {
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']) {
    const body = `{"client_id":1,"${key}":{"limit":5,"status":"active"}}`;
    refused('invalid_request', await sendBytes('CampaignList', body), [key]);
    const config = `{"client_id":1,${JSON.stringify(campaign()).slice(1, -1)},"config":{"${key}":1}}`;
    refused('invalid_request', await sendBytes('CampaignCreate', config), [`config.${key}`]);
  }
  const hidden = `{"client_id":1,"__proto__":${JSON.stringify(directIssue())}}`;
  const { details } = refused('invalid_request', await sendBytes('Issue', hidden));
  assert.ok(details.some(({ field }: { field: string }) => field === 'player_id'));
});

test('ids that mean something to JavaScript are ids like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const created = await call(
      url,
      'CampaignCreate',
      campaign({ campaign_id: name, config: { bonus_limit_per_user: 1 } }),
    );
    assert.deepEqual(accepted('CampaignCreate', created), { campaign_id: name });
    const item = { campaign_id: name, player_id: name, currency: 'EUR' };
    assert.equal(accepted('Issue', await call(url, 'Issue', item)).player_id, name);
    refused('bonus_limit_per_user_reached', await call(url, 'Issue', item));
    refused('game_not_available', await call(url, 'Issue', directIssue({ games: [name] })), ['games[0]']);
  }
});

test('nesting of any depth is answered, not followed', async () => {
  for (const depth of [1000, 100_000, 500_000]) {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    refused('invalid_request', await sendBytes('CampaignList', nested), ['']);
    refused('invalid_request', await sendBytes('CampaignList', `{"client_id":1,"x":${nested}}`));
    const games = `{"client_id":1,"games":[${nested.slice(0, depth / 2)}${nested.slice(-depth / 2)}]}`;
    refused('invalid_request', await sendBytes('CampaignCreate', games));
    refused('invalid_request', await sendBytes('CampaignList', '['.repeat(depth)), ['']);
    refused('invalid_request', await sendBytes('CampaignList', '{"a":'.repeat(depth / 5)), ['']);
  }
});

test('numbers beyond all measure are wrong numbers', async () => {
  for (const number of [
    '1e400',
    '-1e400',
    '1e-400',
    '99999999999999999999',
    `1${'0'.repeat(5000)}`,
    '3.0000001',
    '-0',
  ]) {
    const body = JSON.stringify({ client_id: 1, ...directIssue() }).replace('"quantity":3', `"quantity":${number}`);
    refused('invalid_request', await sendBytes('Issue', body), ['quantity']);
  }
});

test('a hundred thousand of anything is refused, and the answer stays small', async () => {
  const many = Array.from({ length: 100_000 }, (_, i) => `${i}`);
  const answers = [
    await call(url, 'CampaignCreate', campaign({ games: many })),
    await call(url, 'CampaignCreate', campaign({ games: many.map(() => 1) })),
    await call(url, 'CampaignCreate', campaign({ bet_amounts: many.map(() => 1) })),
    await call(url, 'IssueBatch', { items: many.map(() => 1) }),
    await call(url, 'CampaignList', Object.fromEntries(many.slice(0, 50_000).map((key) => [`x${key}`, 1]))),
  ];
  for (const answer of answers) {
    refused('invalid_request', answer);
    assert.ok(answer.text.length < 50_000, `${answer.text.length} characters`);
    assert.ok(answer.body.details.length >= 1);
  }
});

test('a body full of errors delays no other caller: its cost is limited', async () => {
  const requests = [
    () => call(url, 'CampaignCreate', campaign({ bet_amounts: Array(340_000).fill({}) })),
    () => call(url, 'CampaignCreate', campaign({ games: Array(500_000).fill(1) })),
    () => call(url, 'IssueBatch', { items: Array(1000).fill({ games: Array(300).fill({}) }) }),
  ];
  for (const request of requests) {
    const began = process.cpuUsage();
    const { status } = await request();
    const { user, system } = process.cpuUsage(began);
    assert.ok(status === 400 || status === 200);
    // In processor time, so that a busy machine does not matter; each takes a tenth of a second or so.
    assert.ok(user + system < 3e6, `it took ${(user + system) / 1e6} s, in which this server sent no other response`);
  }
});

test('very long strings are refused, and not repeated', async () => {
  const long = 'x'.repeat(900_000);
  for (const field of ['player_id', 'currency', 'bet_amount', 'valid_until', 'issue_id', 'name']) {
    const answer = await call(url, 'Issue', directIssue({ [field]: long }));
    refused('invalid_request', answer, [field]);
    assert.ok(answer.text.length < 5000);
  }
  const unknown = await call(url, 'CampaignList', { [long]: 1 });
  refused('invalid_request', unknown);
  assert.ok(unknown.text.length < 5000);
  // Nor is half of a character.
  const [cut, half] = [`${'x'.repeat(99)}🎲`, `${'x'.repeat(99)}\ufffd`];
  refused('invalid_request', await call(url, 'CampaignList', { [cut]: 1 }), [half]);
  refused('invalid_request', await sendBytes('CampaignList', `{"client_id":1,"${cut}":1,"${cut}":1}`), [half]);
});
