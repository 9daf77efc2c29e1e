import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { LostRace } from '../../../../packages/server/src/engine/faults.ts';
import { cacheCampaignDefinitions } from '../../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { readContent } from '../../../../packages/server/src/promo/drafts/contents.ts';
import {
  type DraftChangeContext,
  saveDraft,
  submitDraft,
} from '../../../../packages/server/src/promo/drafts/drafts.ts';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { inEuro } from '../../../support/drafts.ts';
import { addParts } from '../../../support/jobs.ts';
import { directJob, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { signedIn } from '../../../support/staff.ts';

// Carrying out drafts without HTTP: announcements and lost races.

const { env, sql } = await testDatabase();
const server = await testServer(env);
const pool = openPool({
  connection: { connectionString: env.DATABASE_URL as string },
  max: 2,
  queryTimeoutMs: 5000,
  applicationName: 'test',
});
after(() => pool.end());

async function draftContextOf(changes: Partial<DraftChangeContext> = {}): Promise<DraftChangeContext> {
  const { staffId, email } = await signedIn(sql, 'manager');
  return {
    pool,
    slowRead: (read) => read(pool),
    by: {
      actor: { kind: 'staff', staff_id: staffId, email, role: 'manager' },
      action: 'DraftSubmit',
      address: null,
      requestId: null,
      reason: 'because',
    },
    definitions: cacheCampaignDefinitions(1024 * 1024),
    profileOf: (clientId) => server.reference().catalogue.profileOf(clientId),
    approvalLimits: new Map([['EUR', 100_000]]),
    committed: () => {},
    read: readContent,
    ...changes,
  };
}

async function saved(context: DraftChangeContext, bonusLimit: number) {
  const key = { clientId: 1, draftId: randomUUID() };
  const content = JSON.stringify(inEuro(bonusLimit));
  await saveDraft(context, { ...key, kind: 'campaign', content, revision: null, copyOf: null });
  return { ...key, revision: 1 };
}

const isThere = async ({ draftId }: { draftId: string }) =>
  (await sql.query('SELECT FROM campaigns WHERE campaign_id = $1', [draftId])).rows.length === 1;

test('the result of a draft is announced only after it is committed', async () => {
  const announced: Promise<boolean>[] = [];
  let meant = { draftId: '' };
  const context = await draftContextOf({ committed: () => announced.push(isThere(meant)) });
  const within = await saved(context, 1000);
  meant = within;
  await submitDraft(context, within);
  assert.deepEqual(await Promise.all(announced), [true]);
  await submitDraft(context, within);
  await submitDraft(context, await saved(context, 5000));
  assert.equal(announced.length, 1, 'repeated and waiting ones have no effect');
});

test('so is a job that is started by a draft, though it has no events', async () => {
  const announced: number[] = [];
  const context = await draftContextOf({ committed: (clientId) => announced.push(clientId) });
  const job = directJob({ quantity: 1, config: { max_coefficient: '2.00' } });
  accepted('JobCreate', await call(server.url, 'JobCreate', job));
  await addParts(server.url, job, [jobItems(2)]);
  const key = { clientId: 1, draftId: randomUUID() };
  const content = JSON.stringify({ job_id: job.job_id, parts: 1, items: 2 });
  await saveDraft(context, { ...key, kind: 'job', content, revision: null, copyOf: null });
  assert.equal((await submitDraft(context, { ...key, revision: 1 })).draft.state, 'approved');
  assert.deepEqual(announced, [1]);
});

test('a draft is approved by one decision, on rows that are loaded once', async () => {
  const definitions = cacheCampaignDefinitions(1024 * 1024);
  let loads = 0;
  const loadAll: typeof definitions.loadAll = (...asked) => {
    loads++;
    return definitions.loadAll(...asked);
  };
  const context = await draftContextOf({ definitions: { ...definitions, loadAll } });
  const meant = await saved(context, 1);
  loads = 0;
  assert.equal((await submitDraft(context, meant)).draft.state, 'approved');
  assert.equal(loads, 1);
});

test('what another server was first at is tried again, and given up as unavailable', async () => {
  let left = 2;
  const losing: DraftChangeContext['read'] = (content) => {
    if (left > 0 && content.draftId === meant?.draftId) {
      left--;
      throw new LostRace();
    }
    return readContent(content);
  };
  let meant: { draftId: string } | undefined;
  const context = await draftContextOf({ read: losing });
  const name = await saved(context, 1);
  meant = name;
  assert.equal((await submitDraft(context, name)).draft.state, 'approved');
  const other = await saved(context, 1);
  meant = other;
  left = 3;
  await assert.rejects(submitDraft(context, other), { refusal: { error: 'unavailable' } });
  assert.equal(await isThere(other), false);
});
