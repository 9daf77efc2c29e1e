import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSecret } from '../../../packages/server/src/primitives/sealing.ts';
import { later } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env, sql } = await testDatabase();
const providers = ['copper-heron', 'lantern-quay', 'velvet-anvil'];
const anyCall = { signing: 'plain', allow_from: null };

async function partners() {
  const { rows } = await sql.query('SELECT * FROM partners ORDER BY client_id');
  const { rows: offers } = await sql.query('SELECT * FROM offers ORDER BY 1, 2');
  const { rows: reference } = await sql.query('SELECT version FROM reference');
  return { rows, offers, reference };
}

/** Everything stored about a partner except its secrets. */
async function stored(clientId: number) {
  const { rows } = await sql.query(
    `SELECT name, disabled_at, previous_secret IS NOT NULL AS rotating,
       ARRAY(SELECT provider_id::text FROM offers o WHERE o.client_id = p.client_id ORDER BY 1) AS offers
     FROM partners p WHERE client_id = $1`,
    [clientId],
  );
  return rows[0];
}

test('create makes a partner with the next ID and shows its secret once', async () => {
  const made = await succeedsWith(env, 'client', 'create', '--name', 'Nova Bets');
  const { secret, ...rest } = made;
  assert.deepEqual(rest, {
    client_id: 3,
    name: 'Nova Bets',
    offers: [],
    stake_returned: false,
    sandbox: false,
    ...anyCall,
  });
  assert.ok(Buffer.from(secret, 'base64url').length >= 32, 'at least 32 random bytes');
  assert.deepEqual(await stored(3), { name: 'Nova Bets', disabled_at: null, rotating: false, offers: [] });
  assert.ok(!(await succeeds(env, 'client', 'list')).includes(secret));
});

test('create without --json prints text, and takes an ID and an offer', async () => {
  const args = ['--name', 'Über "Bets"', '--id', '2147483647', '--offer', 'velvet-anvil,copper-heron'];
  const printed = await succeeds(env, 'client', 'create', ...args);
  assert.match(printed, /^Partner 2147483647 \(Über "Bets"\) created\.$/m);
  assert.match(printed, /^Secret \(shown once\): [\w-]{43}$/m);
  assert.match(printed, /velvet-anvil, copper-heron/);
  assert.deepEqual((await stored(2_147_483_647)).offers, ['copper-heron', 'velvet-anvil']);
});

test('create refuses a used ID, an invalid name or ID and an unknown provider, and changes nothing', async () => {
  const before = await partners();
  assert.match(await fails(env, 'client', 'create', '--name', 'Again', '--id', '1'), /1 already exists/);
  assert.match(await fails(env, 'client', 'create'), /name/);
  assert.match(await fails(env, 'client', 'create', '--name', 'X', '--id', '0'), /whole number/);
  assert.match(await fails(env, 'client', 'create', '--name', 'bad\ufffdname'), /^The name must have .* in UTF-8/);
  const unknown = await fails(env, 'client', 'create', '--name', 'X', '--offer', 'lantern-quay,unknown');
  assert.match(unknown, /no provider unknown/);
  for (const id of providers) assert.ok(unknown.includes(id), 'the existing providers');
  assert.deepEqual(await partners(), before);
});

test('create asks for --id after the highest ID is used', async () => {
  const { rows } = await sql.query('SELECT 1 FROM partners WHERE client_id = 2147483647');
  if (rows.length === 0) await sql.query(`INSERT INTO partners (client_id, name, secret) VALUES (2147483647, 'X', '')`);
  assert.match(await fails(env, 'client', 'create', '--name', 'One more'), /--id/);
  await sql.query('DELETE FROM offers WHERE client_id = 2147483647');
  await sql.query('DELETE FROM partners WHERE client_id = 2147483647');
});

test('list shows the partners as a table and as JSON', async () => {
  const [head, first] = (await succeeds(env, 'client', 'list')).split('\n');
  assert.match(head ?? '', /^CLIENT_ID +NAME +STATE +CREATED +KIND +SECRETS +STAKE +WEBHOOK +SIGNING +FROM +OFFERED$/);
  assert.match(
    first ?? '',
    /^1 +Demo partner +enabled +\d{4}-\d\d-\d\d +sandbox +1 +kept +none +plain +any +copper-heron, lantern-quay, velvet-anvil$/,
  );
  const [partner] = await succeedsWith(env, 'client', 'list');
  const { created_at, ...shown } = partner;
  assert.equal(Date.parse(created_at), (await partners()).rows[0].created_at.getTime());
  assert.deepEqual(shown, {
    client_id: 1,
    name: 'Demo partner',
    disabled_at: null,
    has_previous_secret: false,
    stake_returned: false,
    sandbox: true,
    webhook: null,
    offers: providers,
    ...anyCall,
  });
});

test('a sandbox partner starts with the real time and stays a sandbox', async () => {
  const made = await succeeds(env, 'client', 'create', '--name', 'Playground', '--sandbox');
  const id = /^Sandbox partner (\d+) \(Playground\) created\.$/m.exec(made)?.[1] ?? assert.fail(made);
  assert.match(await succeeds(env, 'client', 'list'), /^\d+ +Playground +enabled +\S+ +sandbox +/m);
  assert.match(await succeeds(env, 'client', 'list'), /^3 +Nova Bets +enabled +\S+ +live +/m);
  const shown = await succeeds(env, 'client', 'clock', id);
  assert.match(shown, /^The clock of partner \d+ shows \d{4}-.*Z, the real time\.$/m);
  assert.match(await fails(env, 'client', 'update', id, '--sandbox'), /unknown option/i);
});

test('client clock sets a sandbox clock forward by the rules of the API', async () => {
  const { now } = await succeedsWith(env, 'client', 'clock', '2');
  const tomorrow = later(now, 86_400_000);
  const set = await succeedsWith(env, 'client', 'clock', '2', '--set', tomorrow);
  assert.deepEqual([set.client_id, set.now >= tomorrow], [2, true]);
  assert.ok(Math.abs(set.offset_s - 86_400) < 60, 'less what the world has gone on since it was read');
  assert.ok(
    (await succeeds(env, 'client', 'clock', '2')).endsWith(`, ${set.offset_s} seconds ahead of the real time.\n`),
  );
  assert.match(await fails(env, 'client', 'clock', '2', '--set', now), /can't be set to .*: it must not be before/);
  assert.match(await fails(env, 'client', 'clock', '2', '--set', '2099-01-01T00:00:00Z'), /at most 2 years/);
  assert.match(await fails(env, 'client', 'clock', '2', '--set', 'soon'), /The time must be in UTC/);
  assert.match(await fails(env, 'client', 'clock', '3'), /Partner 3 is not a sandbox/);
  assert.match(await fails(env, 'client', 'clock', '3', '--set', tomorrow), /Partner 3 is not a sandbox/);
  assert.match(await fails(env, 'client', 'clock', '77'), /There is no partner 77\./);
  assert.equal((await succeedsWith(env, 'client', 'clock', '2')).offset_s, set.offset_s);
});

test('disable and enable switch a partner and can be repeated', async () => {
  assert.match(await succeeds(env, 'client', 'disable', '2'), /Partner 2 is disabled/);
  assert.match(await succeeds(env, 'client', 'list'), /Demo rival +disabled/);
  const { disabled_at } = await stored(2);
  assert.deepEqual(await succeedsWith(env, 'client', 'disable', '2'), { client_id: 2 });
  assert.deepEqual((await stored(2)).disabled_at, disabled_at);
  assert.deepEqual(await succeedsWith(env, 'client', 'enable', '2'), { client_id: 2 });
  assert.equal((await stored(2)).disabled_at, null);
});

test('offer sets what a partner is offered: some, none, all', async () => {
  const printed = await succeeds(env, 'client', 'offer', '2', 'velvet-anvil, lantern-quay,velvet-anvil');
  assert.match(printed, /Partner 2 is offered: velvet-anvil, lantern-quay\./);
  assert.deepEqual((await stored(2)).offers, ['lantern-quay', 'velvet-anvil']);
  assert.deepEqual(await succeedsWith(env, 'client', 'offer', '2', 'none'), { client_id: 2, offers: [] });
  const { offers } = await succeedsWith(env, 'client', 'offer', '2', 'all');
  assert.deepEqual(offers.toSorted(), providers);
});

test('rotate-secret makes a second secret, and --retire-old keeps only the newest', async () => {
  const printed = await succeeds(env, 'client', 'rotate-secret', '2');
  assert.match(printed, /New secret of partner 2 \(shown once\): [\w-]{43}\n.*client rotate-secret 2 --retire-old/);
  assert.equal((await stored(2)).rotating, true);
  assert.deepEqual(await succeedsWith(env, 'client', 'rotate-secret', '2', '--retire-old'), {
    id: 2,
    secret: null,
    old_stays_valid: false,
  });
  assert.equal((await stored(2)).rotating, false);
});

test('an unknown partner and an invalid ID fail with a message and change nothing', async () => {
  const before = await partners();
  for (const verb of ['disable', 'rotate-secret']) {
    assert.match(await fails(env, 'client', verb, '77'), /There is no partner 77\./);
  }
  assert.match(await fails(env, 'client', 'offer', '77', 'all'), /There is no partner 77\./);
  assert.match(await fails(env, 'client', 'offer', '2', 'unknown'), /There is no provider unknown/);
  assert.match(await fails(env, 'client', 'enable', '2147483648'), /whole number from 1 to 2147483647/);
  assert.deepEqual(await partners(), before);
});

test('secrets are stored encrypted and bound to their partner', async () => {
  const { secret } = await succeedsWith(env, 'client', 'rotate-secret', '1');
  const { rows } = await sql.query(
    'SELECT secret, previous_secret, partners::text AS row FROM partners WHERE client_id = 1',
  );
  const [{ secret: sealed, previous_secret: previous, row }] = rows;
  for (const plain of [secret, 'demo-partner-secret']) {
    assert.ok(!row.includes(plain) && !row.includes(Buffer.from(plain).toString('hex')));
    assert.ok(!sealed.includes(plain) && !previous.includes(plain));
  }
  const key = Buffer.from(env.SECRETS_KEY ?? '', 'base64');
  assert.equal(openSecret([key], 'partner 1', sealed), secret);
  assert.equal(openSecret([key], 'partner 1', previous), 'demo-partner-secret');
  assert.equal(openSecret([key], 'partner 2', sealed), undefined);
  assert.equal(openSecret([Buffer.alloc(32)], 'partner 1', sealed), undefined);
});
