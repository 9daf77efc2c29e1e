import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { fileOf, folder } from '../../support/files.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { memoryServer, secrets } from '../check/memory-server.ts';
import { serverFaults } from '../check/server-faults.ts';
import { jobIdIn, listOf, newCampaign, players } from './job-lists.ts';
import { succeeds } from './terminal.ts';

// Every file that a command writes, and that has data of players or secrets, is readable by its owner only.

const { env } = await testDatabase();
const { url } = await testServer(env);

const inside = mkdtempSync(join(folder, 'modes-'));

/**
 * Runs a command with the path of a file that does not exist, and of one that every user may read, under the umask of
 * most systems.
 */
async function assertOwnerOnly(t: { after(undo: () => void): void }, write: (path: string) => Promise<unknown>) {
  const before = process.umask(0o022);
  t.after(() => process.umask(before));
  const [fresh, wide] = [join(inside, 'new'), join(inside, 'wide')];
  rmSync(fresh, { force: true });
  for (const path of [fresh, wide]) {
    if (path === wide) {
      writeFileSync(path, 'before');
      chmodSync(path, 0o644);
    }
    await write(path);
    const { mode, size } = statSync(path);
    assert.deepEqual([(mode & 0o777).toString(8), size > 'before'.length], ['600', true], path);
  }
}

test('audit export --file', async (t) => {
  await assertOwnerOnly(t, (path) => succeeds(env, 'audit', 'export', '--file', path));
});

test('job issue --refusals and job refusals --file', async (t) => {
  const [ann = ''] = players(1);
  const campaignId = await newCampaign(url, { bonus_limit_per_user: 1 });
  let jobId = '';
  await assertOwnerOnly(t, async (path) => {
    const list = listOf(ann, ann, ann, `${ann}x`.repeat(jobId === '' ? 1 : 2));
    const args = ['--file', list, '--campaign', campaignId, '--refusals', path, '--url', url];
    const { code, stdout, stderr } = await runCommand(env, 'job', 'issue', ...args);
    assert.equal(code, 3, stderr);
    jobId = jobIdIn(stdout);
  });
  await assertOwnerOnly(t, (path) => succeeds(env, 'job', 'refusals', jobId, '--file', path, '--url', url));
});

test('check --junit and --html', async (t) => {
  const faulty = await memoryServer(serverFaults['idempotency.other-content']);
  const args = ['--secret-file', fileOf(secrets.get(1) ?? ''), '--only', 'idempotency'];
  for (const report of ['--junit', '--html']) {
    await assertOwnerOnly(t, async (path) => {
      const { code, stderr } = await runCommand({}, 'check', 'server', faulty, ...args, report, path);
      assert.equal(code, 3, stderr);
    });
  }
});

test('no draft is left', () => {
  assert.deepEqual(readdirSync(inside).toSorted(), ['new', 'wide']);
});
