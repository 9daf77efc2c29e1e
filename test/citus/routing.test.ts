import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { accepted } from '../support/answers.ts';
import { call, demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { jobOver, startJob } from '../support/jobs.ts';
import { callAs, lantern } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { campaign, directIssue, job, jobItems } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { setWebhook } from '../support/webhooks.ts';

// In a process of its own: it listens to every connection.
// Where each statement of the request path goes, as its plan says when it is carried out: the database explains all statements to a session that
// asked for it.

interface Explained {
  /** What the connection is for. */
  by: string;
  text: string;
  tasks: number;
  /** Whether a part of it is carried out ahead, and what that finds sent to where the rest is. */
  isInParts: boolean;
}

const explained: Explained[] = [];
const { emit } = pg.Client.prototype;
pg.Client.prototype.emit = function (this: pg.Client, name: string, ...rest: unknown[]): boolean {
  if (name === 'notice') note(this, String((rest[0] as Error).message));
  return emit.call(this, name, ...rest);
};

function note(client: pg.Client, message: string): void {
  const [, text] = /Query Text: ([\s\S]*?)\n(?:Query Parameters|Custom Scan|\w.*\(cost)/.exec(message) ?? [];
  const [, tasks] = /Task Count: (\d+)/.exec(message) ?? [];
  const { connectionParameters } = client as unknown as { connectionParameters: { application_name: string } };
  if (text === undefined || tasks === undefined) return;
  const isInParts = message.includes('Distributed Subplan');
  explained.push({ by: connectionParameters.application_name, text, tasks: Number(tasks), isInParts });
}

const { env, sql } = await testDatabase();
const database = new URL(env.DATABASE_URL ?? '').pathname.slice(1);
for (const setting of [
  `session_preload_libraries = 'auto_explain'`,
  'auto_explain.log_min_duration = 0',
  `auto_explain.log_level = 'notice'`,
]) {
  await sql.query(`ALTER DATABASE ${database} SET ${setting}`);
}
const { url } = await testServer({ ...env, DATABASE_DIRECT: 'no', WEBHOOK_ALLOW_PRIVATE: 'yes' });

const player = { player_id: 'player', currency: 'EUR' };

const as = async (name: Parameters<typeof call>[1], body: object) => accepted(name, await call(url, name, body));

/** The operations of partners, one by one and many at a time. */
async function callAsPartner(): Promise<string> {
  const campaign_id = 'routed';
  const made = campaign({ campaign_id, config: { bonus_limit: 1000, bonus_limit_per_user: 1000 } });
  const direct = { issue_id: randomUUID(), ...directIssue() };
  const issues = Array.from({ length: 6 }, () => ({ issue_id: randomUUID(), campaign_id, ...player }));
  const ids = issues.map(({ issue_id }) => issue_id);
  await as('CampaignCreate', made);
  await as('Issue', direct);
  await as('Issue', issues[0] as object);
  await as('IssueBatch', { items: issues });
  for (const name of ['CampaignGet', 'CampaignPause', 'CampaignResume'] as const) await as(name, { campaign_id });
  for (const name of ['CampaignList', 'FreeBetList', 'EventsList', 'JobList'] as const) await as(name, {});
  for (const filter of [{ player_id: 'player' }, { campaign_id }, { status: 'active' }])
    await as('FreeBetList', filter);
  await as('FreeBetGet', { issue_id: direct.issue_id });
  await as('Cancel', { issue_id: ids[5] });
  await as('CancelBatch', { issue_ids: [ids[3], ids[4]] });
  const list = job(campaign_id);
  await startJob(url, list, [jobItems(5), jobItems(5, 'other')]);
  await jobOver(url, list);
  await as('JobRefusals', { job_id: list.job_id });
  return ids[0] as string;
}

async function callAsProvider(issue_id: string): Promise<void> {
  const bet = { client_id: demo.clientId, bet_id: randomUUID() };
  const ask = async (name: Parameters<typeof callAs>[2], body: object) =>
    accepted(name, await callAs(lantern, url, name, { client_id: demo.clientId, ...body }));
  const game_id = campaign().games[0] as string;
  await ask('RoundsAvailable', { game_id, ...player });
  await ask('RoundsBet', { ...bet, game_id, issue_id, player_id: 'player' });
  await ask('RoundsGet', bet);
  await ask('RoundsOpen', {});
  await ask('RoundsSettle', { ...bet, result: 'won', coefficient: '2.00' });
}

test('every statement of the request path goes to one part of the data', async () => {
  await callAsProvider(await callAsPartner());
  const onPath = explained.filter(({ by }) => by === 'freebets lanes' || by === 'freebets reads');
  const different = new Set(onPath.map(({ text }) => text));
  assert.ok(different.size > 30, `${different.size} statements`);
  const astray = onPath.filter(({ tasks, isInParts }) => tasks !== 1 || isInParts);
  assert.deepEqual(astray, []);
});

test('what the work in the background asks for goes to where it is, in one step', async () => {
  const ofPolls = () => explained.filter(({ by }) => by === 'freebets background');
  // A statement of each kind of work: webhooks, expiry, jobs, activity and active partners.
  const own = ['AS has_new', 'NOT f.swept', 'first.begins_at', 'coalesce(a.position, 0) THEN', 'AS idle'];
  // Who has no webhook is not asked whether there is something to send.
  await setWebhook(sql, demo, (await startReceiver(() => 204)).url);
  const isAsked = (part: string) => ofPolls().some(({ text }) => text.includes(part));
  await until('all of it has asked', 20_000, () => own.every(isAsked));
  const ofSlots = ofPolls().filter(({ text }) => text.includes('WHERE slot = $1'));
  assert.ok(ofSlots.length > 0);
  assert.deepEqual(
    ofSlots.filter(({ tasks }) => tasks !== 1),
    [],
  );
  assert.deepEqual(
    ofPolls().filter(({ isInParts }) => isInParts),
    [],
  );
});
