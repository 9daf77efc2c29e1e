import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Pool } from 'pg';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { insertInvitation } from '../../../packages/server/src/people/sql/invitations.ts';
import { hashToken } from '../../../packages/server/src/people/tokens.ts';
import { openConsoleTurns } from '../../../packages/server/src/people/turns.ts';
import { testDatabase } from '../../support/database.ts';
import { whileHeld } from '../../support/held-table.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { cookieOf, from, newAddress, newPerson, signIn } from '../../support/sign-in.ts';
import { newInvitationToken, type StaffAnswer, session, signedIn, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

// Callers who are not signed in do not slow down people who are: a forged token costs no query, and each address has
// a limit for requests in progress.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' });

const forged = (): string => randomBytes(32).toString('base64url');
const sessionGet = (cookie: string, address = newAddress()): Promise<StaffAnswer> =>
  staffCall(url, '/Session/Get', {}, { cookie }, from(address));
const invitationGet = (token: string, address = newAddress()): Promise<StaffAnswer> =>
  staffCall(url, '/Invitation/Get', { token }, {}, from(address));

/** A token with its last byte changed: the random part is genuine, and the HMAC is not. */
function withOtherMac(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(31) ^ 1, 31);
  return bytes.toString('base64url');
}

test('a forged session cookie is rejected without a query, also while the table of sessions is locked', async () => {
  const { cookie } = await signedIn(sql, 'viewer');
  const token = cookie.slice('freebets='.length);
  const tokens = [forged(), withOtherMac(token), newInvitationToken(), `${token}A`, token.slice(1), ''];
  await whileHeld(sql, 'sessions', async () => {
    for (const each of tokens) {
      const { status, body } = await sessionGet(`freebets=${each}`);
      assert.deepEqual([status, body.error], [401, 'not_signed_in'], each);
    }
    const live = await fetch(`${url}/console/api/Live`, {
      headers: { ...from(newAddress()), cookie: `freebets=${forged()}` },
    });
    assert.equal(live.status, 401);
    await live.body?.cancel();
  });
  assert.equal((await sessionGet(cookie)).status, 200);
});

test('a forged invitation token is rejected without a query', async () => {
  const { cookie } = await signedIn(sql, 'viewer');
  await whileHeld(sql, 'invitations', async () => {
    for (const token of [forged(), withOtherMac(newInvitationToken()), cookie.slice('freebets='.length)]) {
      const accept = { token, password: 'nine purple umbrellas' };
      for (const { status, body } of [
        await invitationGet(token),
        await staffCall(url, '/Invitation/Accept', accept, {}, from(newAddress())),
      ]) {
        assert.deepEqual([status, body.error], [404, 'invitation_not_valid']);
      }
    }
  });
});

test('a session and a sign-in elsewhere are served while one address has many invitations and sign-ins in progress', async () => {
  const [person, cookie] = [await newPerson(sql), (await signedIn(sql, 'viewer')).cookie];
  // Addresses of one /64 count as one.
  const near = (i: number) => `2001:db8:1:2::${i.toString(16)}`;
  const sent = await whileHeld(sql, 'invitations', async () => {
    const reads = Array.from({ length: 60 }, (_, i) => invitationGet(newInvitationToken(), near(i)));
    const signIns = Array.from({ length: 10 }, (_, i) => signIn(url, { email: 'a@example.com', address: near(i) }));
    const refused = await Promise.race(reads);
    assert.deepEqual([refused.status, refused.body.error], [503, 'unavailable'], 'no more may wait');
    assert.equal((await sessionGet(cookie)).status, 200);
    let own: string | undefined;
    // Its turn may take longer than it can wait on a busy machine.
    await until('the person is signed in', 20_000, async () => {
      own = cookieOf(await signIn(url, person));
      return own !== undefined;
    });
    assert.equal((await sessionGet(own ?? '', near(7))).status, 200, 'at the same address too');
    return [...reads, ...signIns];
  });
  for (const { status } of await Promise.all(sent)) assert.ok([404, 503].includes(status), `${status}`);
});

test('a cookie of an ended session uses two connections at most, and other sessions are still looked up', async () => {
  const [ended, other] = [await signedIn(sql, 'viewer'), await signedIn(sql, 'viewer')];
  await sql.query('DELETE FROM sessions WHERE staff_id = $1', [ended.staffId]);
  const sent = await whileHeld(sql, 'sessions', async () => {
    const many = Array.from({ length: 230 }, () => sessionGet(ended.cookie));
    assert.equal((await Promise.race(many)).status, 503, 'no more may wait');
    const { rows } = await sql.query(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'freebets staff' AND wait_event_type = 'Lock'`,
    );
    assert.ok(rows[0].waiting <= 2, `${rows[0].waiting} connections`);
    return [...many, sessionGet(other.cookie)];
  });
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  assert.equal(statuses.at(-1), 200);
  assert.deepEqual([...new Set(statuses.slice(0, -1))].toSorted(), [401, 503]);
});

test('an address gets 100 refusals within a second without a delay, and all addresses get 300', async (t) => {
  const begun = performance.now();
  const clock = t.mock.method(performance, 'now', () => begun);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pace } = openConsoleTurns({} as Pool).anonymous;
  const isPrompt = async (address: string | null) => {
    let isSent = false;
    void pace(address).then(() => {
      isSent = true;
    });
    for (let i = 0; i < 5; i++) await null;
    return isSent;
  };
  for (let i = 0; i < 100; i++) assert.equal(await isPrompt(`2001:db8::${i}`), true);
  assert.equal(await isPrompt('2001:db8::ffff'), false);
  assert.equal(await isPrompt('2001:db8:0:1::1'), true, 'another network');
  let isSent = false;
  const late = pace('2001:db8::1').then(() => {
    isSent = true;
  });
  t.mock.timers.tick(999);
  await null;
  assert.equal(isSent, false);
  t.mock.timers.tick(3001);
  await late;
  for (let i = 0; i < 197; i++) assert.equal(await isPrompt(`192.0.2.${i}`), true);
  assert.equal(await isPrompt('198.51.100.1'), false, 'more than 300 in all');
  clock.mock.mockImplementation(() => begun + 1000);
  assert.equal(await isPrompt('2001:db8::1'), true, 'a second later');
});

// Servers that start later, because a server keeps sessions that were open at its start.

const inserted = async (token: string, staffId: string): Promise<string> => {
  await ask(sql, insertInvitation(hashToken(token), staffId));
  return token;
};

const invitee = async () => {
  const { staffId } = await newPerson(sql);
  await sql.query('UPDATE staff SET password = NULL WHERE staff_id = $1', [staffId]);
  return staffId;
};

test('sessions and invitations from before the upgrade work on a server that starts later, and forged ones do not', async () => {
  const staffId = await invitee();
  const viewer = await signedIn(sql, 'viewer');
  // The version before made 32 random bytes.
  const [oldToken, oldInvitation] = [forged(), await inserted(forged(), staffId)];
  await sql.query('UPDATE sessions SET token_hash = $2 WHERE staff_id = $1', [viewer.staffId, hashToken(oldToken)]);
  assert.equal((await sessionGet(`freebets=${oldToken}`)).status, 401);
  assert.equal((await invitationGet(oldInvitation)).status, 404);
  const { url: upgraded } = await testServer({ ...env, TRUSTED_PROXIES: '127.0.0.0/8,::1/128' });
  const get = (path: string, body: object, cookie?: string) =>
    staffCall(upgraded, path, body, cookie === undefined ? {} : { cookie }, from(newAddress()));
  assert.equal((await get('/Session/Get', {}, `freebets=${oldToken}`)).status, 200);
  assert.equal((await get('/Invitation/Get', { token: oldInvitation })).status, 200);
  const later = await inserted(forged(), staffId);
  assert.equal(
    (await get('/Invitation/Get', { token: later })).status,
    404,
    'not open when it started, and has no HMAC',
  );
  await get('/Invitation/Accept', { token: oldInvitation, password: 'nine purple umbrellas' });
  assert.equal((await get('/Invitation/Get', { token: oldInvitation })).status, 404, 'accepted');
});

test('sessions and invitations outlive a change of the master key', async () => {
  const old = env.SECRETS_KEY as string;
  const fresh = Buffer.alloc(32, 11).toString('base64');
  const staffId = await invitee();
  const { url: between } = await testServer({ ...env, SECRETS_KEY: `${fresh},${old}`, TRUSTED_PROXIES: '127.0.0.0/8' });
  const viewer = await signedIn(sql, 'viewer');
  const invitation = await inserted(newInvitationToken(), staffId);
  const isOpen = async (at: string, cookie: string, token: string) => [
    (await staffCall(at, '/Session/Get', {}, { cookie })).status,
    (await staffCall(at, '/Invitation/Get', { token }, {}, from(newAddress()))).status,
  ];
  assert.deepEqual(
    await isOpen(between, viewer.cookie, invitation),
    [200, 200],
    'made under the old key, after its start',
  );
  const entered = cookieOf(await staffCall(between, '/Session/SignIn', await passwordOf(), {}, from(newAddress())));
  assert.equal((await sessionGet(entered as string)).status, 401, 'made under the new key, for a server without it');
  const rotated = await runCommand({ ...env, SECRETS_KEY: `${fresh},${old}` }, 'keys', 'rotate', '--reason', 'a test');
  assert.equal(rotated.code, 0, rotated.stderr);
  const { url: after } = await testServer({ ...env, SECRETS_KEY: fresh, TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.deepEqual(await isOpen(after, viewer.cookie, invitation), [200, 200], 'open when it started');
  assert.deepEqual(await isOpen(after, entered as string, invitation), [200, 200]);
  const stale = await session(sql, viewer.staffId);
  assert.deepEqual(
    await isOpen(after, stale, await inserted(newInvitationToken(), staffId)),
    [401, 404],
    'made under the removed key',
  );
});

async function passwordOf() {
  const { email } = await newPerson(sql);
  return { email, password: 'seven green bottles' };
}
