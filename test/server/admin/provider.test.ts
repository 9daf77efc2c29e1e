import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openSecret } from '../../../packages/server/src/primitives/sealing.ts';
import { testDatabase } from '../../support/database.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env, sql } = await testDatabase();

const rowOf = async (id: string) => (await sql.query('SELECT * FROM providers WHERE provider_id = $1', [id])).rows[0];
const allRows = async () =>
  (await sql.query('SELECT p, (SELECT version FROM reference) FROM providers p ORDER BY 1')).rows;

test('create derives the ID from the name and shows the secret once', async () => {
  const made = await succeedsWith(
    env,
    'provider',
    'create',
    '--name',
    'Nova Reel Ünited',
    '--currencies',
    'EUR, USDT,EUR',
  );
  const { secret, ...rest } = made;
  const id = rest.provider_id;
  assert.match(id, /^nova-reel-[a-z-]+$/);
  const anyCall = { signing: 'plain', allow_from: null };
  assert.deepEqual(rest, { provider_id: id, name: 'Nova Reel Ünited', currencies: ['EUR', 'USDT'], ...anyCall });
  assert.ok(Buffer.from(secret, 'base64url').length >= 32);
  const row = await rowOf(id);
  assert.equal(openSecret([Buffer.from(env.SECRETS_KEY ?? '', 'base64')], `provider ${id}`, row.secret), secret);
  assert.ok(!row.secret.includes(secret));
  assert.ok(!(await succeeds(env, 'provider', 'list')).includes(secret));
});

test('create without --json prints text, and takes an ID', async () => {
  const args = ['--name', 'Other', '--currencies', 'EUR', '--id', 'other-1'];
  const printed = await succeeds(env, 'provider', 'create', ...args);
  assert.match(printed, /^Provider other-1 \(Other\) created\.\nSecret \(shown once\): [\w-]{43}\n$/);
});

test('create refuses used and invalid IDs and names and invalid currencies, and changes nothing', async () => {
  const before = await allRows();
  const create = (...args: string[]) => fails(env, 'provider', 'create', ...args);
  assert.match(await create('--name', 'Lantern Quay', '--currencies', 'EUR', '--id', 'another'), /already exists/);
  assert.match(await create('--name', 'Another', '--currencies', 'EUR', '--id', 'lantern-quay'), /already exists/);
  assert.match(await create('--name', 'Another', '--currencies', 'EUR', '--id', 'Not OK'), /PROVIDER_ID/);
  assert.match(await create('--name', 'Another'), /currencies/);
  assert.match(await create('--name', 'Another', '--currencies', 'EUR,usd'), /currencies/);
  assert.match(await create('--name', 'Another', '--currencies', ''), /currencies/);
  assert.match(await create('--name', 'A\u0007', '--currencies', 'EUR'), /name/);
  assert.match(await create('--name', 'x'.repeat(129), '--currencies', 'EUR'), /name/);
  assert.match(await create('--currencies', 'EUR'), /name/);
  assert.deepEqual(await allRows(), before);
});

test('list shows the providers as a table and as JSON', async () => {
  const [head, first] = (await succeeds(env, 'provider', 'list')).split('\n');
  assert.match(head ?? '', /^PROVIDER_ID +NAME +STATE +CREATED +SECRETS +SIGNING +FROM +CURRENCIES$/);
  assert.match(
    first ?? '',
    /^lantern-quay +Lantern Quay +enabled +\d{4}-\d\d-\d\d +1 +plain +any +EUR, USD, GBP, BRL, USDT$/,
  );
  const [provider] = await succeedsWith(env, 'provider', 'list');
  assert.deepEqual(
    [provider.provider_id, provider.has_secret, provider.has_previous_secret],
    ['lantern-quay', true, false],
  );
});

test('disable refuses a provider with the usual 403, and enable accepts it again', async () => {
  const { url } = await testServer({ ...env, WORKER: 'off' });
  const settle = (provider: typeof lantern) =>
    callAs(provider, url, 'RoundsSettle', { bet_id: randomUUID(), result: 'lost' });
  const stranger = await settle({ ...lantern, providerId: 'unknown' });
  assert.equal(stranger.status, 403);
  assert.equal((await settle(lantern)).status, 404);

  assert.equal(
    await succeeds(env, 'provider', 'disable', 'lantern-quay'),
    'Provider lantern-quay is disabled; servers apply the change within two seconds.\n',
  );
  await until('it is refused', 5000, async () => (await settle(lantern)).status === 403);
  const { request_id: _, ...refused } = (await settle(lantern)).body;
  const { request_id: __, ...unknown } = stranger.body;
  assert.deepEqual(refused, unknown);
  assert.match(await succeeds(env, 'provider', 'list'), /^lantern-quay +Lantern Quay +disabled /m);
  const { disabled_at } = await rowOf('lantern-quay');
  assert.deepEqual(await succeedsWith(env, 'provider', 'disable', 'lantern-quay'), { provider_id: 'lantern-quay' });
  assert.deepEqual((await rowOf('lantern-quay')).disabled_at, disabled_at, 'since when, stays');
  const [shown] = await succeedsWith(env, 'provider', 'list');
  assert.equal(Date.parse(shown.disabled_at), disabled_at.getTime());

  assert.deepEqual(await succeedsWith(env, 'provider', 'enable', 'lantern-quay'), { provider_id: 'lantern-quay' });
  await until('it is let in', 5000, async () => (await settle(lantern)).status === 404);
  for (const verb of ['disable', 'enable']) {
    assert.equal(await fails(env, 'provider', verb, 'unknown'), 'There is no provider unknown.');
    assert.match(await fails(env, 'provider', verb, 'No Body'), /PROVIDER_ID/);
  }
});

test('rotate-secret makes a second secret, and --retire-old keeps only the newest', async () => {
  const key = Buffer.from(env.SECRETS_KEY ?? '', 'base64');
  const { secret } = await succeedsWith(env, 'provider', 'rotate-secret', 'lantern-quay');
  const during = await rowOf('lantern-quay');
  assert.equal(openSecret([key], 'provider lantern-quay', during.secret), secret);
  assert.equal(openSecret([key], 'provider lantern-quay', during.previous_secret), 'demo-provider-secret-1');
  const printed = await succeeds(env, 'provider', 'rotate-secret', 'lantern-quay', '--retire-old');
  assert.match(printed, /Only the newest secret of provider lantern-quay is valid now/);
  assert.equal((await rowOf('lantern-quay')).previous_secret, null);
  assert.match(await fails(env, 'provider', 'rotate-secret', 'unknown'), /There is no provider unknown\./);
  assert.match(await fails(env, 'provider', 'rotate-secret', 'No Body'), /PROVIDER_ID/);
});
