import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { type FalseAnswer, falseProvider } from '../../support/false-openid-provider.ts';
import { listenHere, openIdClient, serveOpenId } from '../../support/openid-provider.ts';
import { testServer } from '../../support/server.ts';
import { signedIn } from '../../support/staff.ts';
import { isPage, openBrowser, type WebBrowser } from '../../support/web-browser.ts';

// Single sign-on with a provider that responds incorrectly or not at all.

const { env, sql } = await testDatabase();
const provider = await falseProvider();
const { url } = await testServer({ ...env, ...openIdClient, OIDC_ISSUER: provider.issuer });
const sso = `${url}/console/api/Session/Sso`;
const { staffId } = await signedIn(sql, 'viewer');
await sql.query(`UPDATE staff SET oidc_issuer = $2, oidc_subject = 'subject-1' WHERE staff_id = $1`, [
  staffId,
  provider.issuer,
]);

/** As far as the provider; then the browser comes back with this. */
async function comesBack(browser: WebBrowser, wanted: FalseAnswer, change: Record<string, string | null> = {}) {
  const { to } = await browser.go(sso);
  const asked = new URL(to ?? '').searchParams;
  provider.wanted = wanted;
  provider.nonce = asked.get('nonce') ?? '';
  provider.challenge = asked.get('code_challenge') ?? '';
  const answer = new URLSearchParams({ code: 'a code', state: asked.get('state') ?? '' });
  for (const [name, value] of Object.entries(change)) {
    if (value === null) answer.delete(name);
    else answer.set(name, value);
  }
  return (await browser.go(`${sso}/Callback?${answer}`)).to;
}

const now = () => Math.floor(Date.now() / 1000);

test('a valid response is accepted, so the others are refused for their fault', async () => {
  const browser = openBrowser();
  assert.equal(await comesBack(browser, {}), `${url}/console`);
  assert.equal((await browser.person(url)).body.staff_id, staffId);
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = openIdClient;
  const [, credentials = ''] = provider.asked?.authorization?.split(' ') ?? [];
  const [name = '', password = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  assert.deepEqual([name, decodeURIComponent(password.replaceAll('+', ' '))], [id, secret]);
  assert.equal(provider.asked?.body.get('redirect_uri'), `${sso}/Callback`);
});

const wrong: [string, FalseAnswer, Record<string, string | null>?][] = [
  ['another issuer', { claims: { iss: 'https://elsewhere.example' } }],
  ['another audience', { claims: { aud: 'somebody-else' } }],
  ['another nonce', { claims: { nonce: 'another nonce' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['no subject', { claims: { sub: undefined } }],
  ['a token that is too old', { claims: { iat: now() - 7200, exp: now() - 3600 } }],
  ['the signature of another', { isSignedByAnother: true }],
  ['the signature of a key that is not there', { isSignedByAnother: true, header: { kid: 'another' } }],
  ['no signature', { header: { alg: 'none' } }],
  ['a symmetric signature', { header: { alg: 'HS256' } }],
  [
    'claims that were changed after they were signed',
    {
      mangle(token) {
        const [header, claims = '', signature] = token.split('.');
        const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), extra: true };
        return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
      },
    },
  ],
  ['a token that is none', { mangle: () => 'none' }],
  ['no token', { answer: { status: 200, body: { access_token: 'any', token_type: 'Bearer' } } }],
  ['a code that it does not know', { answer: { status: 400, body: { error: 'invalid_grant' } } }],
  ['a verifier that is not ours', { answer: { status: 400, body: { error: 'invalid_grant' } } }],
  ['no code', {}, { code: null }],
  ['the issuer of another provider with the code', {}, { iss: 'https://elsewhere.example' }],
];

for (const [what, answer, change] of wrong) {
  test(`refused: ${what}`, async () => {
    const browser = openBrowser();
    await sql.query('DELETE FROM sign_in_failures');
    const before = (await sql.query('SELECT count(*)::int AS n FROM sessions')).rows[0].n;
    assert.equal(await comesBack(browser, answer, change), `${url}/console?error=sso_failed`);
    assert.equal((await browser.person(url)).status, 401);
    assert.equal((await sql.query('SELECT count(*)::int AS n FROM sessions')).rows[0].n, before);
    const { rows } = await sql.query('SELECT record FROM audit ORDER BY sequence DESC LIMIT 1');
    assert.match(rows[0].record, /"after":\{"failed":"provider"\}/);
    assert.doesNotMatch(rows[0].record, /a code/);
  });
}

for (const [what, state] of Object.entries({ 'another state': 'another state', 'no state': null })) {
  test(`refused, and slows no account down: ${what}`, async () => {
    const browser = openBrowser();
    await sql.query('DELETE FROM sign_in_failures');
    const before = (await sql.query('SELECT FROM sessions')).rowCount;
    assert.equal(await comesBack(browser, {}, { state }), `${url}/console?error=sso_failed`);
    assert.equal((await browser.person(url)).status, 401);
    assert.equal((await sql.query('SELECT FROM sessions')).rowCount, before);
    const { rows } = await sql.query('SELECT failures, refused FROM sign_in_failures');
    assert.deepEqual(rows, [{ failures: 0, refused: 1 }]);
    const recorded = await sql.query(`SELECT FROM audit WHERE record ~ 'another state'`);
    assert.equal(recorded.rowCount, 0);
  });
}

test('a person who is refused by the provider is sent to the console', async () => {
  const denied = { code: null, error: 'access_denied', error_description: '<b>no</b>' };
  assert.equal(await comesBack(openBrowser(), {}, denied), `${url}/console?error=sso_refused`);
});

test('the service starts while the provider is down, and retries discovery on the next use', async () => {
  const { server, issuer } = await listenHere();
  await new Promise((resolve) => server.close(resolve));
  const late = await testServer({ ...env, ...openIdClient, OIDC_ISSUER: issuer });
  const begin = `${late.url}/console/api/Session/Sso`;
  assert.equal((await openBrowser().go(begin)).to, `${late.url}/console?error=sso_unavailable`);
  const back = await listenHere(Number(new URL(issuer).port));
  const { account } = await serveOpenId(back, late.url);
  await sql.query(`UPDATE staff SET oidc_issuer = $2, oidc_subject = $3 WHERE staff_id = $1`, [
    staffId,
    issuer,
    account.subject,
  ]);
  const browser = openBrowser();
  assert.equal(await browser.follow(begin, isPage(late.url)), `${late.url}/console`);
  assert.equal((await browser.person(late.url)).body.staff_id, staffId);
});

test('a provider that goes down during a sign-in is reported as unavailable', async () => {
  const answer = { answer: { status: 502, body: {} } };
  assert.equal(await comesBack(openBrowser(), answer), `${url}/console?error=sso_unavailable`);
});

test('without a provider there is no single sign-on', async () => {
  const { url: plain } = await testServer(env);
  assert.deepEqual(await (await fetch(`${plain}/console/api/Session/Ways`)).json(), { sso: false, demo: false });
  for (const path of ['Sso', 'Sso/Callback?code=x&state=y']) {
    const { to } = await openBrowser().go(`${plain}/console/api/Session/${path}`);
    assert.equal(to, `${plain}/console?error=sso_unavailable`);
  }
});
