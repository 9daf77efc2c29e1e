import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { getJob, jobOver } from '../../../support/jobs.ts';
import { directJob, jobItems } from '../../../support/requests.ts';
import { otherServer, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// The quota of unfinished jobs, with requests on two servers at the same time.

const { env, sql } = await testDatabase();
const [jobs, mebibyte] = [12, 2 ** 20];
const settings = { ...env, JOB_QUOTA: `${jobs}`, JOB_QUOTA_MIB: '1', RATE_LIMIT: '0' };
const [one, two] = [await testServer(settings), await otherServer(settings)];
const urls = [one.url, two.url];
const at = (i: number) => urls[i % urls.length] ?? '';

const used = async (clientId = demo.clientId) =>
  (
    await sql.query(
      `SELECT count(*) FILTER (WHERE finished_at IS NULL AND stopped_at IS NULL)::int AS jobs,
         (SELECT coalesce(sum(octet_length(list::text)), 0)::int FROM job_parts WHERE client_id = $1) AS bytes FROM jobs WHERE client_id = $1`,
      [clientId],
    )
  ).rows[0];

const clear = async () => {
  const { rows } = await sql.query(
    'SELECT job_id FROM jobs WHERE client_id = 1 AND stopped_at IS NULL AND finished_at IS NULL',
  );
  for (const { job_id } of rows) accepted('JobStop', await call(one.url, 'JobStop', { job_id }));
  await until('no parts are left', 30_000, async () => (await used()).bytes === 0);
};

test('the quota holds exactly when many jobs are created at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 * jobs }, (_, i) => call(at(i), 'JobCreate', directJob()).then((answer) => ({ i, answer }))),
  );
  const created = answers.filter(({ answer }) => answer.status === 200);
  assert.equal(created.length, jobs);
  for (const { answer } of answers.filter(({ answer: { status } }) => status !== 200))
    refused('job_quota_reached', answer, ['jobs']);
  assert.equal((await used()).jobs, jobs);
  const [{ body } = { body: {} }] = created.map(({ answer }) => answer);
  const { job_id, valid_until } = body;
  const repeated = directJob({ job_id, valid_until });
  accepted('JobCreate', await call(two.url, 'JobCreate', repeated));
  accepted('JobCreate', await call(one.url, 'JobCreate', directJob(), rival));

  accepted('JobStop', await call(two.url, 'JobStop', { job_id }));
  accepted('JobCreate', await call(one.url, 'JobCreate', directJob()));
  refused('job_quota_reached', await call(two.url, 'JobCreate', directJob()), ['jobs']);
  await clear();
});

test('the quota of bytes holds exactly when many parts are added at the same time', async () => {
  const ids = Array.from({ length: 4 }, () => randomUUID());
  for (const job_id of ids) accepted('JobCreate', await call(one.url, 'JobCreate', directJob({ job_id })));
  const items = jobItems(1500, 'p'.repeat(30));
  const part = JSON.stringify(items.map(({ player_id, currency }) => [player_id, currency, null, null, null])).length;
  const fit = Math.floor(mebibyte / part);
  const add = (i: number, partner = demo) =>
    call(at(i), 'JobAdd', { job_id: ids[i % ids.length], part: 1 + Math.floor(i / ids.length), items }, partner);
  let stored = 0;
  // Each server takes few parts of a partner at a time.
  for (let i = 0; i < fit + 8; i += 4) {
    const answers = await Promise.all([0, 1, 2, 3].map((j) => add(i + j)));
    for (const answer of answers) {
      if (answer.status === 200) stored++;
      else refused('job_quota_reached', answer, ['bytes']);
    }
  }
  assert.equal(stored, fit);
  assert.equal((await used()).bytes, fit * part);
  const { rows } = await sql.query(
    'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM jobs WHERE client_id = 1 AND NOT cleared',
  );
  assert.equal(rows[0].bytes, fit * part);
  accepted('JobAdd', await add(0));

  const [job_id = ''] = ids;
  const { parts, items: count } = await getJob(one.url, { job_id });
  accepted('JobStart', await call(two.url, 'JobStart', { job_id, parts, items: count }));
  assert.equal((await jobOver(one.url, { job_id })).issued, count);
  assert.equal((await used()).bytes, (fit - parts) * part, 'items that are carried out do not count');
  accepted('JobAdd', await call(one.url, 'JobAdd', { job_id: ids[1], part: 100, items }));
  await clear();
  const { rows: left } = await sql.query(
    'SELECT sum(bytes)::int AS bytes FROM jobs WHERE client_id = 1 AND NOT cleared',
  );
  assert.ok(!left[0].bytes);
});
