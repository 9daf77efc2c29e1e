import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '@freebets/embedded-postgres';
import { loadDemo } from '../packages/server/src/demo/demo.ts';
import { readConfig } from '../packages/server/src/ops/config.ts';
import { migrateDatabase, withDatabase } from '../packages/server/src/ops/database.ts';
import { findOrInstallChromium } from './support/browser.ts';
import { bundleProgram } from './support/bundle.ts';
import { closeToAll, createJoined, dropEverywhere } from './support/citus.ts';
import { citusEnvironment, citusTemplate, createDatabase, settingsOn, testEnvironment } from './support/database.ts';
import { endProcesses, filesLeft, processesLeft, processesOf } from './support/leftovers.ts';
import { canCount, processorTime, timesEnvironment, timesReport, totalMs } from './support/processor-time.ts';
import { programEnvironment } from './support/server.ts';

// Runs the tests on a PostgreSQL of their own: one cluster for the run, with a template that holds the schema and the
// demo data, from which every test file clones its database. "npm test -- FILE …" runs only those files.
//
// --check adds types and lint. --long raises the counts of races, kills, fuzzing and models, and adds the files marked
// "With --long only"; without --check it runs only files that --long changes. --times prints the processor time of each
// file. The files run in their own process group and write to one folder, so an interrupted run ends all of them, and a
// finished run can check that nothing is left.

const root = fileURLToPath(new URL('..', import.meta.url));
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal));

const flags = process.argv.slice(2).filter((each) => each.startsWith('--'));
const named = process.argv
  .slice(2)
  .filter((each) => !each.startsWith('--'))
  .map((file) => relative(root, resolve(file)));
const isLong = flags.includes('--long');
const isOnCitus = flags.includes('--citus');
const withCheck = flags.includes('--check');
const withTimes = flags.includes('--times') && canCount;
const check = 'test/check.test.ts';
/** The mark of files that only run with --long. */
const longOnly = '// With --long only:';
/** The files that run on Citus too, and the files that only run there. */
const citusFiles = [
  'test/citus/distribution.test.ts',
  'test/citus/rights.test.ts',
  'test/citus/routing.test.ts',
  'test/citus/machines.test.ts',
  'test/faults/races.test.ts',
  'test/faults/round-races.test.ts',
  'test/faults/killed.test.ts',
  'test/faults/jobs-killed.test.ts',
  'test/model/service.test.ts',
  'test/model/rounds.test.ts',
  'test/server/ops/schema/payout-upgrade.test.ts',
  'test/server/promo/batch/limits.test.ts',
  'test/server/promo/rounds/round-bets.test.ts',
  'test/server/events/feed/events-list.test.ts',
  'test/server/promo/jobs/job-run.test.ts',
  'test/server/events/webhooks/delivery.test.ts',
  'test/server/audit/audit.test.ts',
  'test/server/partners/catalogue/console-catalogue.test.ts',
  'test/server/people/console-invitation.test.ts',
  'test/server/partners/callers/console-partners.test.ts',
  'test/server/partners/callers/console-providers.test.ts',
  'test/server/people/console-second-factor.test.ts',
  'test/server/people/console-sign-in.test.ts',
  'test/server/events/webhooks/console-webhooks.test.ts',
  'test/server/promo/drafts/drafts.test.ts',
  'test/server/events/feed/event-search.test.ts',
  'test/server/people/last-admin.test.ts',
  'test/server/reports/overview.test.ts',
  'test/server/reports/players.test.ts',
  'test/server/reports/reports.test.ts',
  'test/server/promo/sandbox/sandbox-clock.test.ts',
  'test/server/promo/drafts/staff-issue.test.ts',
  'test/server/reports/system.test.ts',
  'test/console/frame.test.ts',
];
const files = chosenFiles();
/** Tests often wait, so three more than the number of processors keep all of them busy. */
const workers = isOnCitus ? 1 : Math.min(availableParallelism() + 3, 8);

const folder = mkdtempSync(join(quickestFolder(), 'freebets-test-'));
// As root, PostgreSQL runs as another user, who needs access to its files.
chmodSync(folder, 0o711);
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const times = join(folder, 'times');
writeFileSync(times, '');

let exitCode = 1;
try {
  exitCode = await (isOnCitus ? runOnCitus(requireCitusUrl()) : runOnCluster());
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(interrupted.signal.aborted ? 130 : exitCode);

/**
 * In memory if there is enough and programs may run from there. Cloning the template takes 13 ms of processor time
 * there, and 150 ms on a disk.
 */
function quickestFolder(): string {
  const memory = '/dev/shm';
  const plenty = 6 * 1024 ** 3;
  try {
    const { bavail, bsize } = statfsSync(memory);
    const hasRoom = Math.min(bavail * bsize, process.availableMemory()) > plenty;
    return hasRoom && mayRunIn(memory) ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

function mayRunIn(folder: string): boolean {
  const tried = mkdtempSync(join(folder, 'freebets-try-'));
  try {
    const script = join(tried, 'script');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(script).status === 0;
  } finally {
    rmSync(tried, { recursive: true });
  }
}

function chosenFiles(): string[] {
  // The longest files come first, so that no worker is left with one at the end.
  const slow = [
    ...[
      'test/server/events/webhooks/',
      'test/server/edge/slow-callers.test.ts',
      'test/server/events/live/live.test.ts',
    ],
    ...['test/server/background/', 'test/server/check/', 'test/server/ops/', 'test/server/admin/'],
    ...['test/embedded-postgres/', 'test/model/', 'test/faults/', 'test/docs/', check],
  ];
  const rank = (file: string) => slow.findIndex((room) => file.startsWith(room));
  const given = withCheck && named.length > 0 ? [check, ...named] : named;
  if (isOnCitus) return given.length > 0 ? given : citusFiles;
  const all =
    given.length > 0 ? given : globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/citus/**'] }).sort();
  const ordered = all.toSorted((a, b) => rank(b) - rank(a));
  if (named.length > 0) return ordered;
  if (!isLong) return ordered.filter((file) => !uses(file, longOnly));
  const isLonger = ['support/long.ts', 'support/console.ts', longOnly];
  const long = ordered.filter((file) => isLonger.some((text) => uses(file, text)));
  return withCheck ? [...new Set([...long, ...ordered])] : long;
}

function requireCitusUrl(): string {
  const url = process.env.CITUS_URL;
  if (url !== undefined) return url;
  console.error('Set CITUS_URL to a database of the coordinator to which the other machines have been added.');
  process.exit(1);
}

function uses(file: string, text: string): boolean {
  return readFileSync(resolve(root, file), 'utf8').includes(text);
}

/** On the Citus cluster of CITUS_URL. Replaces the leftovers of an earlier run. */
async function runOnCitus(url: string): Promise<number> {
  const config = readConfig(settingsOn(await createJoined(url, citusTemplate)));
  try {
    await migrateDatabase(config, 'many');
    await withDatabase(config, ({ pool, masterKey }) => loadDemo(pool, masterKey, { history: false }));
    await closeToAll(url, citusTemplate);
    interrupted.signal.throwIfAborted();
    const child = startFiles(citusEnvironment(url));
    const [code] = await once(child, 'exit');
    return (await isAllGone(child)) ? (code ?? 1) : 1;
  } finally {
    await dropEverywhere(url, citusTemplate);
  }
}

async function runOnCluster(): Promise<number> {
  const chromium = files.some((file) => uses(file, 'support/browser.ts') || uses(file, 'support/console.ts'))
    ? await findOrInstallChromium()
    : {};
  // The tests don't check whether commits survive a power failure, and durable commits are slow.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };
  const { signal } = interrupted;
  const cluster = await openEmbedded({ dataDir: join(folder, 'data'), use: 'command', settings, signal });
  try {
    const [program] = await Promise.all([bundleForAll(), makeTemplate(cluster.connection.host)]);
    signal.throwIfAborted();
    const child = startFiles({ ...testEnvironment(cluster.connection.host), ...chromium, ...program });
    const [code] = await once(child, 'exit');
    if (withTimes) printTimes();
    return (await isAllGone(child)) ? (code ?? 1) : 1;
  } finally {
    await cluster.release();
  }
}

function printTimes(): void {
  const postmaster = Number.parseInt(readFileSync(join(folder, 'data/postgres/postmaster.pid'), 'utf8'), 10);
  const postgresMs = totalMs(processorTime(postmaster));
  console.log(timesReport(times, postgresMs));
}

/** With few files, loading the sources is faster than bundling. */
async function bundleForAll(): Promise<NodeJS.ProcessEnv> {
  if (named.length > 0) return {};
  return programEnvironment(await bundleProgram(join(folder, 'program')));
}

async function makeTemplate(host: string): Promise<void> {
  const config = readConfig(await createDatabase(host, 'template'));
  await migrateDatabase(config);
  await withDatabase(config, ({ pool, masterKey }) => loadDemo(pool, masterKey, { history: false }));
}

function startFiles(extra: NodeJS.ProcessEnv): ChildProcess {
  const env = {
    ...process.env,
    ...extra,
    TMPDIR: temporary,
    // Compiled code is kept between processes and between runs: most of the start of a server is compiling it.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/freebets-tests'),
    ...(isLong && { FREEBETS_TEST_LONG: '1' }),
    ...(withTimes && timesEnvironment(times)),
  };
  const runner = join(root, 'test/support/runner.ts');
  const child = spawn(process.execPath, [runner, String(workers), ...files], {
    cwd: root,
    env,
    stdio: 'inherit',
    detached: true,
  });
  interrupted.signal.addEventListener('abort', () => void stopFiles(child));
  return child;
}

/** A moment to end in good order, and then no more. */
async function stopFiles({ pid = 0 }: ChildProcess): Promise<void> {
  endProcesses(processesOf(pid, temporary), 'SIGTERM');
  await delay(5000, undefined, { ref: false });
  endProcesses(processesOf(pid, temporary), 'SIGKILL');
}

/** Fails the run when a test has left a process or a file behind, and ends and removes it. */
async function isAllGone({ pid = 0 }: ChildProcess): Promise<boolean> {
  const processes = await processesLeft(pid, temporary);
  endProcesses(processes, 'SIGKILL');
  if (interrupted.signal.aborted) return true;
  const left = [...processes.map(({ pid, command }) => `process ${pid}: ${command}`), ...filesLeft(temporary)];
  if (left.length > 0) console.error(`\nThe tests have left behind:\n${left.join('\n')}`);
  return left.length === 0;
}
