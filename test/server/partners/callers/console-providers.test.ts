import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../../support/database.ts';
import { recordedBy, recordsOf } from '../../../support/records.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';
import { succeedsWith } from '../../admin/terminal.ts';

// Game providers from both doors.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const admin = await signedIn(sql, 'admin');
const viewer = await signedIn(sql, 'viewer', [1]);
const reason = 'As agreed with the provider';
const secrets: string[] = [];

const change = (path: string, body: object) => acceptedStaffCall(url, path, { ...body, reason }, admin);
const provider_id = 'nova-reel';

test('a provider is made with its secret, and everybody sees it without', async () => {
  const [record] = await recordedBy(sql, async () => {
    const {
      secret,
      created_at: _,
      secrets_version: __,
      ...made
    } = await change('/Provider/Create', { name: 'Nova Reel', currencies: ['EUR'] });
    secrets.push(secret);
    assert.deepEqual(made, {
      provider_id,
      name: 'Nova Reel',
      disabled_at: null,
      has_previous_secret: false,
      signing: 'plain',
      allow_from: null,
      currencies: ['EUR'],
      has_secret: true,
    });
  });
  assert.deepEqual(
    [record?.client_id, record?.action, record?.target, record?.before, record?.after.secret_shown],
    [0, 'ProviderCreate', { kind: 'provider', id: provider_id }, null, true],
  );
  const { providers } = await acceptedStaffCall(url, '/Provider/List', {}, viewer);
  assert.deepEqual(
    providers.map((each: { provider_id: string }) => each.provider_id),
    ['lantern-quay', 'copper-heron', 'velvet-anvil', provider_id],
  );
  const again = await staffCall(url, '/Provider/Create', { name: 'Nova Reel', currencies: ['EUR'], reason }, admin);
  assert.deepEqual([again.status, again.body.error], [409, 'already_exists']);
});

test('each change, from the console and the command line, is recorded with the values before and after', async () => {
  const steps: [string, () => Promise<unknown>, () => Promise<unknown>, string, number][] = [
    [
      'ProviderUpdate',
      () => change('/Provider/Update', { provider_id, signing: 'strict' }),
      () => succeedsWith(env, 'provider', 'update', provider_id, '--signing', 'plain'),
      'signing',
      2,
    ],
    [
      'ProviderDisable',
      () => change('/Provider/Disable', { provider_id }),
      () => succeedsWith(env, 'provider', 'disable', provider_id),
      'disabled_at',
      1,
    ],
    [
      'ProviderEnable',
      () => change('/Provider/Enable', { provider_id }),
      () => succeedsWith(env, 'provider', 'enable', provider_id),
      'disabled_at',
      1,
    ],
    [
      'ProviderRotateSecret',
      async () => secrets.push((await change('/Provider/Secret/Rotate', { provider_id })).secret),
      async () => secrets.push((await succeedsWith(env, 'provider', 'rotate-secret', provider_id)).secret),
      'secret_shown',
      2,
    ],
    [
      'ProviderRetireSecret',
      () => change('/Provider/Secret/Retire', { provider_id }),
      () => succeedsWith(env, 'provider', 'rotate-secret', provider_id, '--retire-old'),
      'has_previous_secret',
      1,
    ],
  ];
  for (const [action, atConsole, atTerminal, field, count] of steps) {
    const records = await recordedBy(sql, async () => {
      await atConsole();
      await atTerminal();
    });
    assert.deepEqual(
      records.map((record) => [record.client_id, record.action]),
      Array(count).fill([0, action]),
    );
    for (const { before, after } of records) assert.notDeepEqual(before[field], after[field]);
  }
});

test('rotating or retiring refuses if the secrets changed since they were read', async () => {
  const { providers } = await acceptedStaffCall(url, '/Provider/List', {}, viewer);
  const [{ secrets_version }] = providers.filter((each: { provider_id: string }) => each.provider_id === provider_id);
  secrets.push((await change('/Provider/Secret/Rotate', { provider_id, secrets_version })).secret);
  for (const path of ['/Provider/Secret/Rotate', '/Provider/Secret/Retire']) {
    const again = await staffCall(url, path, { provider_id, secrets_version, reason }, admin);
    assert.deepEqual([again.status, again.body.error], [409, 'secrets_changed'], path);
  }
});

test('calls that a colleague has changed since they were read are not changed', async () => {
  const { providers } = await acceptedStaffCall(url, '/Provider/List', {}, viewer);
  const { signing } = providers.find((each: { provider_id: string }) => each.provider_id === provider_id);
  const another = signing === 'strict' ? 'plain' : 'strict';
  const asked = { provider_id, signing: another, as_read: { signing } };
  assert.equal((await change('/Provider/Update', asked)).signing, another);
  const again = await staffCall(url, '/Provider/Update', { ...asked, reason }, admin);
  assert.deepEqual([again.status, again.body.error], [409, 'changed_meanwhile']);
});

test('who has not all partners, or is no admin, changes no provider', async () => {
  const scoped = await signedIn(sql, 'admin', [1]);
  const operations: [string, object][] = [
    ['/Provider/Create', { name: 'X', currencies: ['EUR'] }],
    ['/Provider/Update', { provider_id, signing: 'strict' }],
    ['/Provider/Disable', { provider_id }],
    ['/Provider/Enable', { provider_id }],
    ['/Provider/Secret/Rotate', { provider_id }],
    ['/Provider/Secret/Retire', { provider_id }],
  ];
  const records = await recordedBy(sql, async () => {
    for (const [path, body] of operations) {
      for (const member of [scoped, viewer]) {
        const answer = await staffCall(url, path, { ...body, reason }, member);
        assert.deepEqual([answer.status, answer.body.error], [403, 'not_allowed'], path);
      }
    }
    for (const [path, body] of operations.slice(1)) {
      const answer = await staffCall(url, path, { ...body, provider_id: 'unknown', reason }, admin);
      assert.deepEqual([answer.status, answer.body.error], [404, 'provider_not_found'], path);
    }
  });
  assert.deepEqual(records, []);
});

test('loading the demo at a terminal is recorded', async () => {
  const [record, ...none] = await recordedBy(sql, () => succeedsWith(env, 'demo', '--reason', 'to try it'));
  assert.deepEqual(
    [record?.client_id, record?.action, record?.reason, record?.after, none],
    [0, 'DemoLoad', 'to try it', { added: [], left: [], staff: false }, []],
  );
});

test('no record or list contains a secret', async () => {
  assert.equal(secrets.length, 4);
  const shown = JSON.stringify([await recordsOf(sql), await acceptedStaffCall(url, '/Provider/List', {}, admin)]);
  for (const secret of secrets) assert.ok(!shown.includes(secret));
});
