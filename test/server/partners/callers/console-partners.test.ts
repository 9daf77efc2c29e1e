import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSecret } from '../../../../packages/server/src/primitives/sealing.ts';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { recordedBy, recordsOf, refuseRecords } from '../../../support/records.ts';
import { serverProcess, testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';
import { until } from '../../../support/waiting.ts';
import { fails, succeedsWith } from '../../admin/terminal.ts';

// Partners from both doors: the console, and the command at a terminal.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const { url: other } = await testServer(env);
const admin = await signedIn(sql, 'admin');
const viewer = await signedIn(sql, 'viewer');
const reason = 'As agreed with the partner';
const secrets: string[] = [];

const change = (path: string, body: object) => acceptedStaffCall(url, path, { ...body, reason }, admin);
const get = (client_id: number) => acceptedStaffCall(url, '/Partner/Get', { client_id }, viewer);

async function create(body: object) {
  const made = await change('/Partner/Create', body);
  secrets.push(made.secret);
  return made;
}

test('creating a partner shows its secret once and records who created it', async () => {
  let made: Awaited<ReturnType<typeof create>> = {};
  const [record, ...more] = await recordedBy(sql, async () => {
    made = await create({ name: 'Nova Bets', offers: ['velvet-anvil'], signing: 'strict', allow_from: ['10.0.0.0/8'] });
  });
  const { secret, created_at, secrets_version, ...rest } = made;
  const expected = {
    client_id: 3,
    name: 'Nova Bets',
    disabled_at: null,
    has_previous_secret: false,
    signing: 'strict',
    allow_from: ['10.0.0.0/8'],
    offers: ['velvet-anvil'],
    stake_returned: false,
    sandbox: false,
  };
  assert.deepEqual(rest, { ...expected, webhook: null });
  const shown = { ...rest, secrets_version, created_at, clock: null };
  assert.deepEqual(await get(3), shown, 'known to the server that answered, at once');
  const { rows } = await sql.query('SELECT secret FROM partners WHERE client_id = 3');
  assert.equal(openSecret([Buffer.from(env.SECRETS_KEY ?? '', 'base64')], 'partner 3', rows[0].secret), secret);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [record?.client_id, record?.actor.staff_id, record?.action, record?.reason, record?.address],
    [3, admin.staffId, 'PartnerCreate', reason, '127.0.0.1'],
  );
  assert.deepEqual([record?.target, record?.before], [{ kind: 'partner', id: '3' }, null]);
  assert.deepEqual(record?.after, { ...expected, created_at, secret_shown: true });
});

test('the command records the same, as the terminal, with the reason where one is given', async () => {
  const [made] = await recordedBy(sql, async () => {
    const { secret } = await succeedsWith(env, 'client', 'create', '--name', 'By hand', '--reason', 'a new contract');
    secrets.push(secret);
  });
  assert.deepEqual(
    [made?.client_id, made?.actor, made?.action, made?.reason, made?.address, made?.after.secret_shown],
    [4, { kind: 'cli' }, 'PartnerCreate', 'a new contract', null, true],
  );
  const [updated] = await recordedBy(sql, () => succeedsWith(env, 'client', 'update', '4', '--name', 'By two hands'));
  assert.deepEqual(
    [updated?.action, updated?.reason, updated?.before.name, updated?.after.name],
    ['PartnerUpdate', null, 'By hand', 'By two hands'],
  );
  for (const wrong of ['ab', 'x'.repeat(501)]) {
    assert.match(
      await fails(env, 'client', 'update', '4', '--name', 'X', '--reason', wrong),
      /^The reason must have 3 to 500/,
    );
  }
});

test('each change, from the console and the command line, has a record with the values before and after', async () => {
  const target = { client_id: 3 };
  const steps: [string, () => Promise<unknown>, () => Promise<unknown>, string, unknown, unknown][] = [
    [
      'PartnerUpdate',
      () => change('/Partner/Update', { ...target, stake_returned: true, allow_from: null, signing: 'plain' }),
      () => succeedsWith(env, 'client', 'update', '3', '--stake-returned', 'no'),
      'stake_returned',
      false,
      true,
    ],
    [
      'PartnerOffer',
      () => change('/Partner/Offer', { ...target, offers: ['copper-heron', 'velvet-anvil'] }),
      () => succeedsWith(env, 'client', 'offer', '3', 'velvet-anvil'),
      'offers',
      ['velvet-anvil'],
      ['copper-heron', 'velvet-anvil'],
    ],
  ];
  for (const [action, atConsole, atTerminal, field, before, after] of steps) {
    for (const [work, from, to] of [
      [atConsole, before, after],
      [atTerminal, after, before],
    ] as const) {
      const records = await recordedBy(sql, work);
      assert.deepEqual(
        records.map((record) => [record.client_id, record.action, record.before[field], record.after[field]]),
        [[3, action, from, to]],
      );
    }
  }
});

test('disabled and enabled, again and again: only what changes something is recorded, and every server follows', async () => {
  const { secret } = await create({ name: 'To be disabled' });
  const partner = { clientId: 5, secret };
  const answers = (status: number) =>
    until(`answered ${status} everywhere`, 2000, async () => {
      const all = await Promise.all([url, other].map((to) => call(to, 'CampaignList', {}, partner)));
      return all.every((answer) => answer.status === status);
    });
  await answers(200);
  const records = await recordedBy(sql, async () => {
    for (let i = 0; i < 2; i++) await change('/Partner/Disable', { client_id: 5 });
    await succeedsWith(env, 'client', 'disable', '5');
  });
  await answers(403);
  assert.deepEqual(
    records.map(({ action, before, after }) => [action, before.disabled_at, typeof after.disabled_at]),
    [['PartnerDisable', null, 'string']],
  );
  const [enabled, ...none] = await recordedBy(sql, async () => {
    await succeedsWith(env, 'client', 'enable', '5');
    await change('/Partner/Enable', { client_id: 5 });
  });
  assert.deepEqual(
    [enabled?.action, enabled?.actor.kind, enabled?.after.disabled_at, none],
    ['PartnerEnable', 'cli', null, []],
  );
  await answers(200);
});

test('a secret is rotated and retired; that it was shown is recorded, and where nothing is retired nothing is', async () => {
  const rotated = await recordedBy(sql, async () => {
    const made = await change('/Partner/Secret/Rotate', { client_id: 3 });
    secrets.push(made.secret);
    assert.deepEqual([made.old_stays_valid, made.has_previous_secret], [true, true]);
    secrets.push((await succeedsWith(env, 'client', 'rotate-secret', '3')).secret);
  });
  assert.deepEqual(
    rotated.map(({ action, before, after }) => [
      action,
      before.has_previous_secret,
      after.has_previous_secret,
      after.secret_shown,
    ]),
    [
      ['PartnerRotateSecret', false, true, true],
      ['PartnerRotateSecret', true, true, true],
    ],
  );
  const retired = await recordedBy(sql, async () => {
    assert.equal((await change('/Partner/Secret/Retire', { client_id: 3 })).has_previous_secret, false);
    await succeedsWith(env, 'client', 'rotate-secret', '3', '--retire-old');
  });
  assert.deepEqual(
    retired.map(({ action, after }) => [action, after.has_previous_secret, after.secret_shown]),
    [['PartnerRetireSecret', false, undefined]],
  );
  await sql.query(`UPDATE partners SET secret = 'unreadable' WHERE client_id = 4`);
  const { body } = await staffCall(url, '/Partner/Secret/Rotate', { client_id: 4, reason }, admin);
  assert.equal(body.error, 'secret_not_readable');
  assert.match(await fails(env, 'client', 'rotate-secret', '4'), /cannot be decrypted with SECRETS_KEY/);
  const [lost] = await recordedBy(sql, async () => {
    secrets.push((await succeedsWith(env, 'client', 'rotate-secret', '4', '--lost-key')).secret);
  });
  assert.deepEqual([lost?.after.secret_shown, lost?.after.has_previous_secret], [true, false]);
});

test('rotating or retiring refuses if the secrets changed since they were read', async () => {
  for (const _ of ['one is valid', 'two are']) {
    const { secrets_version } = await get(3);
    const asked = { client_id: 3, secrets_version, reason };
    const made = await acceptedStaffCall(url, '/Partner/Secret/Rotate', asked, admin);
    secrets.push(made.secret);
    assert.notEqual(made.secrets_version, secrets_version);
    const again = await staffCall(url, '/Partner/Secret/Rotate', asked, admin);
    assert.deepEqual([again.status, again.body.error], [409, 'secrets_changed']);
    assert.equal((await get(3)).secrets_version, made.secrets_version);
  }
  // Nor is the one in use ended as the old one, where a colleague has made another meanwhile.
  const read = await get(3);
  secrets.push((await change('/Partner/Secret/Rotate', { client_id: 3 })).secret);
  const retire = ({ secrets_version }: { secrets_version: string }) =>
    staffCall(url, '/Partner/Secret/Retire', { client_id: 3, secrets_version, reason }, admin);
  const refused = await retire(read);
  assert.deepEqual([refused.status, refused.body.error], [409, 'secrets_changed']);
  const now = await get(3);
  assert.equal(now.has_previous_secret, true);
  const { body: retired } = await retire(now);
  assert.equal(retired.has_previous_secret, false);
  assert.notEqual(retired.secrets_version, now.secrets_version);
});

test('calls and offers that a colleague has changed since they were read are not changed', async () => {
  const { offers, signing, allow_from } = await get(3);
  const networks = ['203.0.113.0/24', '198.51.100.0/24'];
  await change('/Partner/Update', { client_id: 3, allow_from: networks, as_read: { signing, allow_from } });
  await change('/Partner/Offer', { client_id: 3, offers: [], as_read: { offers } });
  const before = await get(3);
  const undone: [string, object][] = [
    ['/Partner/Update', { allow_from, as_read: { signing, allow_from } }],
    ['/Partner/Update', { name: 'Unread', as_read: { signing: 'strict' } }],
    ['/Partner/Offer', { offers, as_read: { offers } }],
  ];
  for (const [path, body] of undone) {
    const answer = await staffCall(url, path, { client_id: 3, ...body, reason }, admin);
    assert.deepEqual([answer.status, answer.body.error], [409, 'changed_meanwhile'], path);
  }
  assert.deepEqual(await get(3), before);
  const as_read = { allow_from: before.allow_from.toReversed() };
  await change('/Partner/Update', { client_id: 3, allow_from, as_read });
  await change('/Partner/Offer', { client_id: 3, offers, as_read: { offers: [] } });
});

test('a refused request changes nothing and is not recorded', async () => {
  const state = async () =>
    (
      await sql.query(
        'SELECT p::text FROM partners p UNION ALL SELECT o::text FROM offers o UNION ALL SELECT r::text FROM reference r ORDER BY 1',
      )
    ).rows;
  const before = await state();
  const refusals: [string, object, string, string?][] = [
    ['/Partner/Create', { name: 'Again', id: 1 }, 'already_exists', 'id'],
    ['/Partner/Create', { name: 'X', offers: ['unknown'] }, 'provider_not_found', 'offers'],
    ['/Partner/Create', { name: 'X', allow_from: ['office'] }, 'invalid_request', 'allow_from'],
    ['/Partner/Create', { name: 'X', allow_from: ['10.0.0.0/8,11.0.0.0/8'] }, 'invalid_request', 'allow_from'],
    ['/Partner/Create', { name: 'X', allow_from: 'any' }, 'invalid_request', 'allow_from'],
    ['/Partner/Create', { name: '' }, 'invalid_request', 'name'],
    ['/Partner/Update', { client_id: 3 }, 'invalid_request', ''],
    ['/Partner/Update', { client_id: 3, allow_from: ['203.0.113.7/24'] }, 'invalid_request', 'allow_from'],
    ['/Partner/Update', { client_id: 3, signing: 'loose' }, 'invalid_request', 'signing'],
    ['/Partner/Offer', { client_id: 3, offers: ['unknown'] }, 'provider_not_found', 'offers'],
    ['/Partner/Offer', { client_id: 77, offers: [] }, 'partner_not_found'],
  ];
  const records = await recordedBy(sql, async () => {
    for (const [path, body, error, field] of refusals) {
      const answer = await staffCall(url, path, { ...body, reason }, admin);
      assert.equal(answer.body.error, error, JSON.stringify(answer.body));
      if (field !== undefined) assert.ok(answer.body.details.some((each: { field: string }) => each.field === field));
    }
    assert.match(await fails(env, 'client', 'create', '--name', 'Again', '--id', '1'), /1 already exists/);
  });
  assert.deepEqual(records, []);
  assert.deepEqual(await state(), before);
});

test('a change that cannot be recorded is not made', async () => {
  const before = await get(3);
  const allow = await refuseRecords(sql);
  for (const [path, body] of [
    ['/Partner/Update', { client_id: 3, name: 'Unrecorded' }],
    ['/Partner/Create', { name: 'Unrecorded' }],
    ['/Partner/Secret/Rotate', { client_id: 3 }],
  ] as const) {
    assert.equal((await staffCall(url, path, { ...body, reason }, admin)).body.error, 'internal_error');
  }
  await allow();
  assert.deepEqual(await get(3), before);
  const { rows } = await sql.query(`SELECT FROM partners WHERE name = 'Unrecorded'`);
  assert.deepEqual(rows, []);
});

test('two admins at the same moment: one after the other, each with what the other left', async () => {
  const second = await signedIn(sql, 'admin');
  const names = Array.from({ length: 12 }, (_, i) => `Name ${i}`);
  const records = await recordedBy(sql, () =>
    Promise.all(
      names.map((name, i) =>
        acceptedStaffCall(
          [url, other][i % 2] ?? url,
          '/Partner/Update',
          { client_id: 3, name, reason },
          i < 6 ? admin : second,
        ),
      ),
    ),
  );
  const inOrder = records.toSorted((one, two) => one.sequence - two.sequence);
  assert.equal(inOrder.length, names.length);
  for (const [i, { before }] of inOrder.entries()) if (i > 0) assert.equal(before.name, inOrder[i - 1]?.after.name);
  const ids = await Promise.all([1, 2, 3].map(() => create({ name: 'At the same moment' })));
  assert.equal(new Set(ids.map(({ client_id }) => client_id)).size, 3, 'each gets an id of its own');
});

test('who has some partners sees and changes these, as if there were no others, and makes none', async () => {
  const scoped = await signedIn(sql, 'admin', [1, 3]);
  const { partners, ...rest } = await acceptedStaffCall(url, '/Partner/List', {}, scoped);
  assert.deepEqual(
    [partners.map((each: { client_id: number }) => each.client_id), rest],
    [[1, 3], { next_cursor: null, free_client_id: null }],
  );
  const records = await recordedBy(sql, async () => {
    for (const path of ['/Partner/Get', '/Partner/Disable', '/Partner/Secret/Rotate', '/Partner/Secret/Retire']) {
      const given = path === '/Partner/Get' ? {} : { reason };
      const elsewhere = await staffCall(url, path, { client_id: 2, ...given }, scoped);
      const nowhere = await staffCall(url, path, { client_id: 99, ...given }, scoped);
      const { request_id: _, ...shown } = elsewhere.body;
      const { request_id: __, ...same } = nowhere.body;
      assert.deepEqual([elsewhere.status, shown], [404, same]);
      assert.equal(shown.error, 'partner_not_found');
    }
    const made = await staffCall(url, '/Partner/Create', { name: 'X', reason }, scoped);
    assert.deepEqual([made.status, made.body.error], [403, 'not_allowed']);
  });
  assert.deepEqual(records, []);
  assert.equal(
    (await acceptedStaffCall(url, '/Partner/Update', { client_id: 3, name: 'Mine', reason }, scoped)).name,
    'Mine',
  );
});

test('many partners are found by name or id, page by page', async () => {
  await sql.query(
    `INSERT INTO partners (client_id, name, secret) SELECT 1000 + i, 'Many 100% ' || i, '' FROM generate_series(1, 250) i`,
  );
  const list = (body: object) => acceptedStaffCall(url, '/Partner/List', body, viewer);
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 100, search: '100% ', ...(cursor && { cursor }) });
    assert.ok(page.partners.length <= 100);
    found.push(...page.partners.map((each: { client_id: number }) => each.client_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(
    found,
    Array.from({ length: 250 }, (_, i) => 1001 + i),
  );
  const idsOf = async (search: string) =>
    (await list({ search })).partners.map((each: { client_id: number }) => each.client_id);
  assert.deepEqual(await idsOf('mAnY 100% 25'), [1025, 1250]);
  assert.deepEqual(await idsOf('1249'), [1249]);
  assert.deepEqual(await idsOf('%_'), []);
  assert.equal((await staffCall(url, '/Partner/List', { cursor: 'AAAA' }, viewer)).body.error, 'invalid_request');
  const [, rival] = (await list({ limit: 2 })).partners;
  assert.deepEqual([rival.name, rival.sandbox], ['Demo rival', true]);
  assert.equal((await list({ limit: 1 })).free_client_id, 1251);
  assert.equal((await get(2)).clock.offset_s, 0);
});

test('client clock is recorded in the transaction that sets it', async () => {
  const { now } = await succeedsWith(env, 'client', 'clock', '2');
  const to = new Date(Date.parse(now) + 86_400_000).toISOString();
  const [set, ...none] = await recordedBy(sql, async () => {
    await succeedsWith(env, 'client', 'clock', '2', '--set', to, '--reason', 'to see tomorrow');
    await fails(env, 'client', 'clock', '2', '--set', now);
  });
  assert.deepEqual(
    [set?.client_id, set?.actor, set?.action, set?.reason, set?.target.kind, set?.before.offset_s, none],
    [2, { kind: 'cli' }, 'SandboxClockSet', 'to see tomorrow', 'sandbox_clock', 0, []],
  );
});

test('no record or list contains a secret', async () => {
  assert.ok(secrets.length >= 8);
  const records = JSON.stringify(await recordsOf(sql));
  const lists = JSON.stringify([
    await acceptedStaffCall(url, '/Partner/List', { limit: 1000 }, admin),
    await acceptedStaffCall(url, '/Partner/Get', { client_id: 3 }, admin),
  ]);
  for (const secret of secrets) assert.ok(!records.includes(secret) && !lists.includes(secret));
});

test('no log line contains a secret', async () => {
  const server = await serverProcess(env);
  let log = '';
  server.child.stdout?.on('data', (chunk) => (log += chunk));
  const made = await acceptedStaffCall(server.url, '/Partner/Create', { name: 'Logged', reason }, admin);
  const { client_id } = made;
  const rotated = await acceptedStaffCall(server.url, '/Partner/Secret/Rotate', { client_id, reason }, admin);
  const partner = { clientId: client_id, secret: rotated.secret };
  accepted('GameList', await call(server.url, 'GameList', {}, partner));
  await staffCall(server.url, '/Partner/Create', { name: 'Logged', id: client_id, reason }, admin);
  await server.end('SIGTERM');
  assert.match(log, new RegExp(`"client_id":${client_id}\\b`), 'it is the log of these requests');
  for (const secret of [made.secret, rotated.secret]) assert.ok(!log.includes(secret));
});
