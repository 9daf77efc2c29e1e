import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { type Answer, demo, json, type Partner, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { lantern } from '../../support/provider.ts';
import { sendRaw } from '../../support/raw.ts';
import { directIssue, games } from '../../support/requests.ts';
import { setSecret } from '../../support/secrets.ts';
import { testServer } from '../../support/server.ts';
import { succeeds, succeedsWith } from '../admin/terminal.ts';

// X-REQUEST-TIME: with it, the signature covers the time and the path too, and for a caller with strict signing there is no other
// way. Signatures are made here and not with the contract package, so that a mistake in it cannot hide itself.

const { env, sql } = await testDatabase();
const strict: Partner = { clientId: 3, secret: 'of-a-strict-partner' };
await setSecret(sql, env, strict.clientId, strict.secret);
await succeeds(env, 'client', 'update', '3', '--signing', 'strict');
await succeeds(env, 'client', 'offer', '3', 'all');
await succeeds(env, 'provider', 'update', lantern.providerId, '--signing', 'strict');
const { url } = await testServer(env);

const hmac = (content: string, secret: string) => createHmac('sha256', secret).update(content).digest('hex');
const nowS = () => Math.floor(Date.now() / 1000);
const listPath = '/v3/FreeBets/Campaign/List';
const bodyOf = ({ clientId }: Partner) => `{"client_id":${clientId}}`;

interface Sent {
  path?: string;
  /** The sent body, if it differs from the signed one. */
  to?: string;
  time?: string | undefined;
  body?: string;
}

/** Signs and sends a time with it. */
const sendTimed = (partner: Partner, { path = listPath, to = path, time = String(nowS()), body }: Sent = {}) => {
  const content = body ?? bodyOf(partner);
  const sign = hmac(`${time}\n${path}\n${content}`, partner.secret);
  return post(url + to, content, { ...json, 'X-REQUEST-TIME': time, 'X-REQUEST-SIGN': sign });
};

const sendPlain = (partner: Partner, headers: Record<string, string> = {}): Promise<Answer> =>
  post(url + listPath, bodyOf(partner), {
    ...json,
    'X-REQUEST-SIGN': hmac(bodyOf(partner), partner.secret),
    ...headers,
  });

test('a signature over time, path and body is good, for strict callers and for others', async () => {
  accepted('CampaignList', await sendTimed(strict));
  accepted('CampaignList', await sendTimed(rival));
  const body = JSON.stringify({ client_id: 3, ...directIssue({ player_id: 'Zoë 🎰' }) });
  accepted('Issue', await sendTimed(strict, { path: '/v3/FreeBets/Issue', body }));
});

test('the vector of the guide comes out right', () => {
  const signature = hmac('1760000000\n/v3/FreeBets/Cancel\n{"client_id":1}', 'test-secret');
  assert.equal(signature, 'efe8622225af3671d86a8ff946a8a06e3302377c5abe7aa00b5284523bd3bac9');
});

test('a time may be five minutes off, and no more', async () => {
  // The second has begun already, and may end on the way.
  for (const off of [-298, -200, 200, 299]) {
    accepted('CampaignList', await sendTimed(strict, { time: String(nowS() + off) }));
  }
  for (const off of [-302, -301, 305, 86_400]) {
    refused('forbidden', await sendTimed(strict, { time: String(nowS() + off) }));
    refused('forbidden', await sendTimed(rival, { time: String(nowS() + off) }));
  }
});

test('an invalid number of seconds is refused, with any signature', async () => {
  const now = nowS();
  const wrong = [
    '',
    `${Date.now()}`,
    `-${now}`,
    `+${now}`,
    `${now}.0`,
    `${now}.5`,
    `${now}e0`,
    `0x${now.toString(16)}`,
    '0',
    '-0',
  ];
  const texts = [
    `${now} ${now}`,
    `${now},${now}`,
    'now',
    new Date().toISOString(),
    '9'.repeat(15),
    '9'.repeat(400),
    'NaN',
    'Infinity',
  ];
  for (const time of [...wrong, ...texts]) {
    refused('forbidden', await sendTimed(strict, { time }));
    refused('forbidden', await sendTimed(rival, { time }));
  }
});

test('two headers are no time, and blanks around one are not part of it', async () => {
  const time = String(nowS());
  const body = bodyOf(rival);
  const raw = (timeLines: string, signedTime: string) =>
    sendRaw(
      url,
      `POST ${listPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${timeLines}` +
        `X-REQUEST-SIGN: ${hmac(`${signedTime}\n${listPath}\n${body}`, rival.secret)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  assert.match(await raw(`X-REQUEST-TIME:  ${time} \t\r\n`, time), /^HTTP\/1\.1 200 /);
  const twice = `X-REQUEST-TIME: ${time}\r\n`.repeat(2);
  for (const signedTime of [time, `${time}, ${time}`, `${time},${time}`]) {
    assert.match(await raw(twice, signedTime), /^HTTP\/1\.1 403 /);
  }
});

test('a captured request is good for its own operation alone', async () => {
  const path = '/v3/FreeBets/List';
  accepted('FreeBetList', await sendTimed(strict, { path }));
  refused('forbidden', await sendTimed(strict, { path, to: listPath }));
  refused('forbidden', await sendTimed(strict, { path: '/FreeBets/List', to: path }));
  refused('forbidden', await sendTimed(strict, { path: `${url}${path}`, to: path }));
  refused('forbidden', await sendTimed(strict, { path: path.toLowerCase(), to: path }));
});

test('what may stand behind a question mark is not part of the path', async () => {
  accepted('CampaignList', await sendTimed(strict, { to: `${listPath}?trace=1` }));
  refused('forbidden', await sendTimed(strict, { path: `${listPath}?trace=1` }));
});

test('a time can be neither added to a captured request, nor changed, nor left out', async () => {
  const time = String(nowS());
  refused('forbidden', await sendPlain(rival, { 'X-REQUEST-TIME': time }));
  const body = bodyOf(rival);
  const timed = (sentTime: object) =>
    post(url + listPath, body, {
      ...json,
      ...sentTime,
      'X-REQUEST-SIGN': hmac(`${time}\n${listPath}\n${body}`, rival.secret),
    });
  accepted('CampaignList', await timed({ 'X-REQUEST-TIME': time }));
  refused('forbidden', await timed({ 'X-REQUEST-TIME': String(Number(time) - 1) }));
  refused('forbidden', await timed({}));
  const whole = `${time}\n${listPath}\n${body}`;
  refused(
    'invalid_request',
    await post(url + listPath, whole, { ...json, 'X-REQUEST-SIGN': hmac(whole, rival.secret) }),
  );
});

test('a strict caller needs the time, a partner as well as a provider; others do not', async () => {
  refused('forbidden', await sendPlain(strict));
  accepted('CampaignList', await sendPlain(rival));
  const path = '/v3/Rounds/Available';
  const who = { provider_id: lantern.providerId, client_id: demo.clientId, player_id: 'player-1' };
  const body = JSON.stringify({ ...who, game_id: games.one, currency: 'EUR' });
  const asProvider = { clientId: 0, secret: lantern.secret };
  accepted('RoundsAvailable', await sendTimed(asProvider, { path, body }));
  refused('forbidden', await post(url + path, body, { ...json, 'X-REQUEST-SIGN': hmac(body, lantern.secret) }));
});

test('every refusal is the one that a wrong signature gets', async () => {
  const answers = [
    await post(url + listPath, bodyOf(strict), { ...json, 'X-REQUEST-SIGN': '0'.repeat(64) }),
    await sendPlain(strict),
    await sendTimed(strict, { time: String(nowS() - 400) }),
    await sendTimed(strict, { time: 'soon' }),
    await sendTimed(strict, { to: '/v3/FreeBets/List' }),
    await sendTimed({ ...strict, clientId: 77 }),
  ];
  for (const answer of answers) refused('forbidden', answer);
  const bytes = answers.map(({ text, body: { request_id } }) => text.replace(request_id, ''));
  assert.equal(new Set(bytes).size, 1, 'the bodies differ');
  const headers = answers.map(({ headers: { date: _, 'x-request-id': __, ...rest } }) => JSON.stringify(rest));
  assert.equal(new Set(headers).size, 1, 'the headers differ');
});

test('during a rotation both secrets sign the time; after it only the new one does', async () => {
  const { secret } = await succeedsWith(env, 'client', 'rotate-secret', '3');
  const renewed = { ...strict, secret };
  const second = await testServer(env);
  const send = (partner: Partner, to: string) => {
    const time = String(nowS());
    const sign = hmac(`${time}\n${listPath}\n${bodyOf(partner)}`, partner.secret);
    return post(to + listPath, bodyOf(partner), { ...json, 'X-REQUEST-TIME': time, 'X-REQUEST-SIGN': sign });
  };
  accepted('CampaignList', await send(strict, second.url));
  accepted('CampaignList', await send(renewed, second.url));
  await succeeds(env, 'client', 'rotate-secret', '3', '--retire-old');
  const third = await testServer(env);
  refused('forbidden', await send(strict, third.url));
  accepted('CampaignList', await send(renewed, third.url));
});
