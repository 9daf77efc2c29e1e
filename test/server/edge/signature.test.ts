import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { type Answer, demo, json, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { setSecret } from '../../support/secrets.ts';
import { testServer } from '../../support/server.ts';

const { env, sql } = await testDatabase();
const disabled = { clientId: 3, secret: 'of-a-disabled-partner' };
const vectorPartner = { clientId: 1, secret: 'test-secret' };
const cyrillic = { clientId: 4, secret: 'ключ-ß-🔑' };
for (const { clientId, secret } of [disabled, vectorPartner, cyrillic]) await setSecret(sql, env, clientId, secret);
await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = $1', [disabled.clientId]);
const { url } = await testServer(env);

// Made here and not with the contract package, so that a mistake in it cannot hide itself.
const hmac = (body: string, secret: string) =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');

const bodyOf = ({ clientId }: { clientId: number }) => `{"client_id":${clientId}}`;
const list = (body: string, signature?: string): Promise<Answer> =>
  post(`${url}/v3/FreeBets/Campaign/List`, body, {
    ...json,
    ...(signature !== undefined && { 'X-REQUEST-SIGN': signature }),
  });

test('the vector of the contract opens the door', async () => {
  const vector = '23a8bba52d0cc187d7dd4428ac546f574e706c2c06620f3c7f3dfdcabd196aab';
  accepted('CampaignList', await list('{"client_id":1}', vector));
});

test('hex in any case is taken', async () => {
  const signature = hmac(bodyOf(rival), rival.secret);
  const mixed = [...signature].map((digit, i) => (i % 2 ? digit.toUpperCase() : digit)).join('');
  for (const same of [signature, signature.toUpperCase(), mixed]) {
    accepted('CampaignList', await list(bodyOf(rival), same));
  }
});

test('the secret is used as its UTF-8 bytes', async () => {
  accepted('CampaignList', await list(bodyOf(cyrillic), hmac(bodyOf(cyrillic), cyrillic.secret)));
});

test('the exact bytes are signed, not what they mean', async () => {
  const { secret } = rival;
  for (const body of [
    '{"client_id":2}\n',
    ' {\t"client_id" : 2 }',
    '{"limit":1,"client_id":2}',
    '{"client_id":2.0}',
    '{"client_i\\u0064":2}',
  ]) {
    accepted('CampaignList', await list(body, hmac(body, secret)));
    const reserialised = JSON.stringify(JSON.parse(body));
    if (reserialised !== body) refused('forbidden', await list(body, hmac(reserialised, secret)));
  }
});

test('every refusal is identical, for any fault', async () => {
  const body = bodyOf(rival);
  const right = hmac(body, rival.secret);
  const unknown = bodyOf({ clientId: 77 });
  const answers = [
    await list(body),
    await list(body, ''),
    await list(body, 'wrong'),
    await list(body, right.slice(1)),
    await list(body, `${right}0`),
    await list(body, `sha256=${right}`),
    await list(body, Buffer.from(right, 'hex').toString('base64')),
    await list(body, `g${right.slice(1)}`),
    await list(body, `${right}, ${right}`),
    await list(body, '0'.repeat(64)),
    await list(body, hmac(`${body} `, rival.secret)),
    await list(body, hmac(body, rival.secret.toUpperCase())),
    await list(body, hmac(body, vectorPartner.secret)),
    await list(body, hmac(body, demo.secret)),
    await list(body, hmac(body, '')),
    await list(bodyOf(disabled), hmac(bodyOf(disabled), disabled.secret)),
    await list(bodyOf(disabled), hmac(bodyOf(disabled), 'wrong')),
    await list(unknown, hmac(unknown, rival.secret)),
    await list(unknown),
  ];
  for (const answer of answers) refused('forbidden', answer);
  const bytes = answers.map(({ text, body: { request_id } }) => text.replace(request_id, ''));
  assert.deepEqual(new Set(bytes).size, 1, 'the bodies differ');
  const headers = answers.map(({ headers: { date: _, 'x-request-id': __, ...rest } }) => JSON.stringify(rest));
  assert.deepEqual(new Set(headers).size, 1, 'the headers differ');
});

test('a signature is good for its caller only', async () => {
  const body = bodyOf(rival);
  refused('forbidden', await list(bodyOf(vectorPartner), hmac(body, rival.secret)));
  accepted('CampaignList', await list(body, hmac(body, rival.secret)));
});

test('a request sent twice is taken twice', async () => {
  const signature = hmac(bodyOf(rival), rival.secret);
  for (let i = 0; i < 2; i++) accepted('CampaignList', await list(bodyOf(rival), signature));
});
