import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sign } from '@freebets/contract';
import { paths } from '../../../packages/contract/src/paths.ts';
import { serveAsGroupMember } from '../../../packages/server/src/admin/serve.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openDatabase } from '../../../packages/server/src/ops/database.ts';
import type { Message } from '../../../packages/server/src/ops/processes/messages.ts';
import { writeMasterKey } from '../../../packages/server/src/primitives/sealing.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, json, post } from '../../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../../support/database.ts';
import { holdCampaign } from '../../support/held-batch.ts';
import { campaign } from '../../support/requests.ts';
import { until } from '../../support/waiting.ts';

// Runs a member of a process group in this process. Its messages to and from the first process go through here.

const said: { message: Message; written(): void }[] = [];
const saidOf = <K extends Message['kind']>(kind: K) =>
  said.find(({ message }) => message.kind === kind) as
    | { message: Extract<Message, { kind: K }>; written(): void }
    | undefined;
const listened = ['message', 'disconnect', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => ({
  name,
  before: process.listeners(name as 'message'),
}));
const { send } = process;
after(() => {
  Object.assign(process, { send });
  for (const { name, before } of listened) {
    const added = process.listeners(name as 'message').filter((listener) => !before.includes(listener));
    for (const listener of added) process.off(name, listener);
  }
});
Object.assign(process, { send: (message: Message, written: () => void) => said.push({ message, written }) > 0 });
const exit = mock.method(process, 'exit', (() => {}) as () => never);
const exits = () => exit.mock.calls.map((each) => each.arguments);
const hear = (message: Message) => process.emit('message', message, undefined);

/** Waits until it serves or has sent its error. */
async function begin(env: ServerEnvironment): Promise<void> {
  const config = readConfig({ ...env, RATE_LIMIT: '0', REQUEST_DEADLINE_MS: '20000', LOG_LEVEL: 'silent' });
  const { connection, masterKey, close } = await openDatabase(config, 'serve', {});
  after(close);
  const beginning = {
    connection,
    masterKey: writeMasterKey(masterKey),
    isEmbedded: false,
    processes: 2,
    isWorker: false,
  };
  await Promise.all([serveAsGroupMember(config, async () => undefined), hear({ kind: 'begin', beginning })]);
}

test('a stop during a replacement finishes requests in flight and ends after the counts are written', async () => {
  const { env, sql } = await testDatabase();
  await begin(env);
  const { url } = saidOf('serving')?.message ?? { url: '' };
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id })));
  const held = await holdCampaign(sql, campaign_id);
  const of = { client_id: demo.clientId, campaign_id };
  const body = JSON.stringify({ ...of, player_id: 'player-1', issue_id: randomUUID(), currency: 'EUR' });
  const headers = { ...json, 'x-request-sign': sign(body, demo.secret) };
  const issued = post(`${url}/v3${paths.Issue.path}`, body, headers);
  await held.isWaitedFor();
  hear({ kind: 'stop', isReplaced: true });
  hear({ kind: 'stop', isReplaced: false });
  // Longer than connections are waited for.
  await delay(5500);
  assert.deepEqual([exits(), saidOf('over')], [[], undefined]);
  await held.letGo();
  accepted('Issue', await issued);
  // The caller would keep the connection, and gets `Connection: close`.
  await until('its counts are said', 10_000, () => saidOf('over') !== undefined);
  assert.deepEqual(exits(), []);
  const over = saidOf('over');
  assert.ok(over?.message.metrics.some(({ name }) => name === 'freebets_requests_total'));
  over?.written();
  assert.deepEqual(exits(), [[0]]);
});

test('a member refuses to serve on a schema of a newer version and says why', async () => {
  const { env, sql } = await testDatabase();
  await sql.query(`INSERT INTO migrations (name, compatible) VALUES ('9999_later.sql', false)`);
  const before = said.length;
  await begin(env);
  const kinds = said.slice(before).map(({ message }) => message.kind);
  assert.deepEqual(kinds, ['failed']);
  assert.match(saidOf('failed')?.message.reason ?? '', /newer version \(9999_later\.sql\)/);
});
