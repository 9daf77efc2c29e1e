import assert from 'node:assert/strict';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { addParts, getJob } from '../support/jobs.ts';
import { campaign, job, jobItems } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'friday', name: 'Friday' })));

/** A bulk award that failed at its second item. */
async function failedList(name: string) {
  const request = job('friday', { name });
  accepted('JobCreate', await call(url, 'JobCreate', request));
  await addParts(url, request, [jobItems(3, name)]);
  const { rows } = await sql.query(
    `UPDATE job_parts p SET list = json_build_array(o.list -> 0, NULL, o.list -> 2) FROM job_parts o
     WHERE p.job_id = $1 AND o.job_id = p.job_id RETURNING o.list::text AS good`,
    [request.job_id],
  );
  accepted('JobStart', await call(url, 'JobStart', { job_id: request.job_id, parts: 1, items: 3 }));
  await until('it failed', 30_000, async () => {
    await sql.query('UPDATE jobs SET attempts = 10 WHERE job_id = $1 AND issued = 1', [request.job_id]);
    return (await getJob(url, request)).status === 'failed';
  });
  return { ...request, good: rows[0].good };
}

inBrowser('a failed bulk award shows where and why it failed, has a status filter, and can be retried', async () => {
  const { job_id, good } = await failedList('weekend');
  const { page, open, assertAccessible } = await deskOf('manager');
  await open('/p/1/lists');
  await page.getByRole('radiogroup', { name: 'Status' }).getByText('Failed').click();
  await page.getByRole('link', { name: 'weekend' }).click();
  await page.getByText('This bulk award failed').waitFor();
  await page.getByText('The service could not process this item in 10 attempts.').waitFor();
  await page.getByText('Item 2 of part 1').waitFor();
  await assertAccessible();
  await sql.query('UPDATE job_parts SET list = $2 WHERE job_id = $1', [job_id, good]);
  await page.getByRole('button', { name: 'Retry bulk award…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 free bets are still to be issued.').waitFor();
  await dialog.getByLabel('Reason').fill('The item was repaired');
  await dialog.getByRole('button', { name: 'Retry bulk award' }).click();
  await page.getByText('finished', { exact: true }).waitFor();
  await page.getByText('3 of 3', { exact: true }).waitFor();
  assert.equal(await page.getByText('This bulk award failed').count(), 0);
});

inBrowser('a failed bulk award can be stopped; a viewer cannot stop or retry it', async () => {
  const { job_id } = await failedList('stopped');
  const viewer = await deskOf('viewer');
  await viewer.open(`/p/1/lists/${job_id}`);
  await viewer.page.getByText('This bulk award failed').waitFor();
  for (const name of ['Retry bulk award…', 'Stop bulk award…'])
    assert.equal(await viewer.page.getByRole('button', { name }).count(), 0);
  const { page, open } = await deskOf('manager');
  await open(`/p/1/lists/${job_id}`);
  await page.getByRole('button', { name: 'Stop bulk award…' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Not needed');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop bulk award' }).click();
  await page.getByText('stopped', { exact: true }).first().waitFor();
  await page.getByText('2 not issued').waitFor();
});
