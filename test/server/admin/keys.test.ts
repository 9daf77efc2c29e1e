import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { type SealedKind, sealedTables } from '../../../packages/server/src/partners/master-key/sql.ts';
import { newTotpSecret, ownerOfTotp } from '../../../packages/server/src/people/second-factor.ts';
import { openSecret, ownerOf, readMasterKey, sealSecret } from '../../../packages/server/src/primitives/sealing.ts';
import { call, demo, type Partner } from '../../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../../support/database.ts';
import { somebodyWaits } from '../../support/held-batch.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { recordedBy } from '../../support/records.ts';
import { program, runCommand, surroundings, testServer } from '../../support/server.ts';
import { codeAt, newPerson, signIn } from '../../support/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

// The master key is rotated while servers run, and every caller keeps its secret.

const { env, sql } = await testDatabase();
const old = env.SECRETS_KEY as string;
const fresh = Buffer.alloc(32, 9).toString('base64');
const withKey = (...keys: string[]): ServerEnvironment => ({ ...env, SECRETS_KEY: keys.join(',') });

const ownerOfRow = (kind: SealedKind, id: string) => (kind === 'staff' ? ownerOfTotp(id) : ownerOf(kind, id));

/** Counts the encrypted values that a key opens, and lists the others. */
async function opensWith(key: string): Promise<{ opened: number; not: string[] }> {
  let opened = 0;
  const not: string[] = [];
  for (const [kind, { name, id, columns }] of Object.entries(sealedTables)) {
    for (const column of columns) {
      const { rows } = await sql.query(
        `SELECT ${id}::text AS id, ${column} AS sealed FROM ${name} WHERE ${column} IS NOT NULL`,
      );
      for (const row of rows) {
        const owner = ownerOfRow(kind as SealedKind, row.id);
        if (openSecret(readMasterKey(key), owner, row.sealed) === undefined) not.push(`${owner} ${column}`);
        else opened += 1;
      }
    }
  }
  return { opened, not };
}

async function protectedPerson() {
  const person = await newPerson(sql);
  const secret = newTotpSecret();
  const seal = () => sealSecret(readMasterKey(old), ownerOfTotp(person.staffId), secret);
  await sql.query('UPDATE staff SET totp_secret = $2, totp_next = $3, totp_since = now() WHERE staff_id = $1', [
    ...[person.staffId, seal(), seal()],
  ]);
  return { ...person, secret };
}

const isAccepted = async (url: string, partner: Partner) =>
  (await call(url, 'CampaignList', {}, partner)).status === 200;
const follows = (url: string, partner: Partner) =>
  until(`partner ${partner.clientId} is known`, 5000, () => isAccepted(url, partner));

async function newPartner(settings: ServerEnvironment, name: string): Promise<Partner> {
  const { client_id, secret } = await succeedsWith(settings, 'client', 'create', '--name', name);
  return { clientId: client_id, secret };
}

test('key rotation covers every encrypted column', async () => {
  const { rows } = await sql.query(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name !~ 'hash$'`,
  );
  const known = Object.values(sealedTables).flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column}`),
  );
  assert.deepEqual(rows.map(({ name }) => name).sort(), known.sort());
});

test('two servers change keys one after the other without refusing a request', async () => {
  const person = await protectedPerson();
  await succeeds(env, 'client', 'rotate-secret', '2');
  const settings = { WORKER: 'off', STAFF_MFA: 'on', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
  const serve = (...keys: string[]) => testServer({ ...withKey(...keys), ...settings });
  const everybody = [demo];
  const allAreAccepted = async (url: string) => {
    for (const partner of everybody) await follows(url, partner);
    const settled = await callAs(lantern, url, 'RoundsSettle', { bet_id: person.staffId, result: 'lost' });
    assert.equal(settled.status, 404, 'a provider is known');
  };
  const oldOnly = await serve(old);
  const first = await serve(old, fresh);
  everybody.push(await newPartner(withKey(old, fresh), 'Made while one server has the old key only'));
  await allAreAccepted(oldOnly.url);
  await allAreAccepted(first.url);
  const second = await serve(fresh, old);
  everybody.push(await newPartner(withKey(fresh, old), 'Made under the new key'));
  await allAreAccepted(first.url);
  await allAreAccepted(second.url);

  const { opened } = await opensWith(`${fresh},${old}`);
  const records = await recordedBy(sql, async () => {
    const result = await succeedsWith(withKey(fresh, old), 'keys', 'rotate', '--reason', 'the yearly change');
    assert.match(result.key_id, /^[0-9a-f]{12}$/);
    assert.deepEqual(result.resealed, { partner: 3, provider: 3, staff: 1 });
    assert.deepEqual(result.unopened, []);
  });
  assert.deepEqual(
    records.map(({ client_id, actor, action, reason, target, after }) => [
      ...[client_id, actor.kind, action, reason, target.kind, after.resealed, after.count],
    ]),
    ['partner', 'provider', 'staff'].map((kind) => [
      ...[0, 'cli', 'KeysRotate', 'the yearly change', 'master_key', kind, kind === 'staff' ? 1 : 3],
    ]),
  );
  assert.deepEqual(await opensWith(fresh), { opened, not: [] });
  await allAreAccepted(first.url);
  await allAreAccepted(second.url);
  const newOnly = await serve(fresh);
  await allAreAccepted(newOnly.url);
  const code = codeAt(person.secret, new Date().toISOString());
  assert.equal((await signIn(newOnly.url, person, { code })).status, 200, 'the second factor is the same');
  await succeeds(withKey(fresh), 'audit', 'verify');
  assert.equal(
    await succeeds(withKey(fresh), 'keys', 'check'),
    'Decrypted the secrets of 4 partners, 3 providers and 1 staff members.\nAll secrets can be decrypted.\n',
  );

  const again = await recordedBy(sql, async () => {
    assert.match(
      await succeeds(withKey(fresh, old), 'keys', 'rotate'),
      /: the secrets of 0 partners, 0 providers and 0 staff members\.\nAll secrets can be decrypted with this key alone\.\n$/,
    );
  });
  assert.deepEqual(again, [], 'what changes nothing is not recorded');
  assert.match(await fails(withKey(old), 'keys', 'rotate'), /do not open with this SECRETS_KEY/);
});

test('after a kill everything stays readable, and the same command resumes', async () => {
  const next = Buffer.alloc(32, 10).toString('base64');
  const rows = Array.from({ length: 250 }, (_, i) => 1000 + i);
  await sql.query(
    `INSERT INTO partners (client_id, name, secret) SELECT id, 'Partner ' || id, decode(sealed, 'hex')
     FROM unnest($1::int[], $2::text[]) AS p(id, sealed)`,
    [rows, rows.map((id) => sealSecret(readMasterKey(fresh), ownerOf('partner', id), `secret ${id}`).toString('hex'))],
  );
  const held = await sql.connect();
  await held.query('BEGIN');
  await held.query('SELECT FROM partners WHERE client_id = 1150 FOR UPDATE');
  const settings = withKey(next, fresh);
  const child = spawn(process.execPath, [program, 'keys', 'rotate'], {
    env: { ...surroundings, ...settings },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await somebodyWaits(sql);
  child.kill('SIGKILL');
  await ended;
  await held.query('ROLLBACK');
  held.release();
  const all = await opensWith(`${next},${fresh}`);
  assert.deepEqual(all.not, []);
  const done = await opensWith(next);
  assert.ok(done.opened >= 100 && done.opened < all.opened, `${done.opened} of ${all.opened} are done`);
  const { resealed } = await succeedsWith(settings, 'keys', 'rotate');
  assert.ok(resealed.partner < rows.length, 'what was done is not done again');
  assert.deepEqual(await opensWith(next), { opened: all.opened, not: [] });
});

test('a secret that no key opens is listed and unchanged, and the others are re-encrypted', async () => {
  const newest = Buffer.alloc(32, 11).toString('base64');
  const stranger = sealSecret(
    readMasterKey(old),
    ownerOf('partner', 1000),
    'encrypted with a key that is not configured',
  );
  await sql.query('UPDATE partners SET secret = $1 WHERE client_id = 1000', [stranger]);
  const settings = withKey(newest, Buffer.alloc(32, 10).toString('base64'));
  const { stdout, code } = await runCommand(settings, 'keys', 'rotate', '--json');
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout).unopened, ['partner 1000']);
  assert.deepEqual((await opensWith(newest)).not, ['partner 1000 secret']);
  const again = await runCommand(settings, 'keys', 'rotate');
  assert.match(again.stdout, /\nNo given key decrypts these secrets, so they were left unchanged: partner 1000\.\n$/);
  // As on a read-only copy. Otherwise a wrong key for staff or disabled callers would not be noticed.
  await sql.query(`UPDATE staff SET totp_next = totp_secret || '\\x00'`);
  await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = 1000');
  const { rows } = await sql.query('SELECT staff_id FROM staff WHERE totp_next IS NOT NULL');
  const DATABASE_URL = `${env.DATABASE_URL}&options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
  const checked = await runCommand({ ...settings, DATABASE_URL }, 'keys', 'check', '--json');
  assert.deepEqual([checked.stderr, checked.code], ['', 1]);
  assert.deepEqual(JSON.parse(checked.stdout), {
    opened: { partner: 253, provider: 3, staff: 0 },
    unopened: ['partner 1000', ...rows.map(({ staff_id }) => ownerOfTotp(staff_id))],
  });
});
