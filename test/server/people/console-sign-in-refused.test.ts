import assert from 'node:assert/strict';
import { test } from 'node:test';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { newAddress, newPerson, signIn } from '../../support/sign-in.ts';

// Sign-ins that are refused without a check: they can't flood the audit log, and none is left uncounted.

const { env, sql } = await testDatabase();
const settings = { ...env, STAFF_MFA: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
const { url } = await testServer(settings);
const { url: otherUrl } = await testServer(settings);

const wrong = { password: 'seven green bottle!' };
const recordsOf = async (kind: string, id: string) => {
  const { rows } = await sql.query('SELECT record FROM audit WHERE target = $1 ORDER BY sequence', [`${kind} ${id}`]);
  return rows.map(({ record }) => JSON.parse(record));
};

/** Fails a number of times with the required pauses, and returns the time of the last failure. */
async function fail(email: string, count: number, startIso: string): Promise<string> {
  let at = startIso;
  for (let i = 0; i < count; i++) {
    at = later(at, 31_000);
    await setClock(sql, at);
    assert.equal((await signIn(url, { email, address: newAddress() }, wrong)).status, 401);
  }
  return at;
}

test('sign-ins refused without a check are recorded as one count with their start time', async (t) => {
  t.after(() => setClock(sql, null));
  const { email } = await newPerson(sql);
  const after = async () => (await recordsOf('account', email)).map((record) => record.after);
  const refuseMany = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const server = i % 2 === 0 ? url : otherUrl;
      assert.equal((await signIn(server, { email, address: newAddress() })).status, 401);
    }
  };
  const failed = { failed: 'password' };
  const fifth = await fail(email, 5, '2027-03-02T12:00:00.000Z');
  await refuseMany(3);
  assert.deepEqual(await after(), [failed, failed, failed, failed, failed, { slowed_down: true }], 'nothing for each');
  const tenth = await fail(email, 5, fifth);
  assert.deepEqual((await after()).slice(6), [
    failed,
    { refused: 3 },
    failed,
    failed,
    failed,
    failed,
    { locked: true },
  ]);
  await refuseMany(4);
  await setClock(sql, later(tenth, 30 * 60_000));
  assert.equal((await signIn(url, { email, address: newAddress() })).status, 200);
  const [signed, refused, ...more] = (await recordsOf('account', email)).slice(13);
  assert.ok('session_id' in signed.after);
  assert.deepEqual(
    [refused.action, refused.address, refused.request_id, refused.actor, refused.after, more],
    ['SignIn', null, null, { kind: 'unknown', email }, { refused: 4 }, []],
  );
});

test('sign-ins refused for an address are recorded for that address', async (t) => {
  t.after(() => setClock(sql, null));
  const address = newAddress();
  const guess = (i: number) => signIn(url, { email: `of-${address}-${i}@example.com`, address }, wrong);
  await setClock(sql, '2027-03-03T12:00:00.000Z');
  for (let i = 0; i < 8; i++) await guess(i);
  await setClock(sql, '2027-03-03T12:00:01.000Z');
  await guess(8);
  assert.deepEqual(
    (await recordsOf('address', address)).map(({ after }) => after),
    [{ slowed_down: true }, { refused: 3 }],
  );
});
