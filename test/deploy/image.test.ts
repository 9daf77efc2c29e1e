import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { accepted } from '../support/answers.ts';
import { call, post } from '../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { assertAcknowledgedAreThere, issuesFor, startLoad } from '../support/load.ts';
import { childrenOf } from '../support/processes.ts';
import { campaign } from '../support/requests.ts';
import { until } from '../support/waiting.ts';
import { buildImage, type Image } from './image-build.ts';
import { run, without } from './tools.ts';

// The image of deploy/, built and run as a container would be: namespaces of its own, a root that is read-only, the user and the environment
// that the image names, and nothing else. It takes minutes and gigabytes, so only "npm run test:image" does it.

function whyNot(): string | false {
  if (process.env.FREEBETS_TEST_IMAGE !== '1') return 'only "npm run test:image" builds the image';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can build and run the image';
  if (run('unshare', ['--mount', '--pid', '--fork', 'true']).code !== 0) return 'no namespaces can be made here';
  return without('buildah') || without('mmdebstrap');
}

const skip = whyNot();
const userId = 65_532;
const image = skip ? undefined : await buildImage((line) => console.log(`image: ${line}`));
const { env } = skip ? { env: {} } : await databaseProxy((await testDatabase('empty')).env);

/** What a runtime does: a root that is read-only, devices, and the program as the first process, as the user of the image. */
function startContainer(settings: ServerEnvironment, ...args: string[]) {
  const { root, config } = image as Image;
  const [user, group] = config.User.split(':');
  const devices = ['null', 'zero', 'random', 'urandom'].map(
    (name) => `touch dev/${name}; mount --bind /dev/${name} dev/${name}`,
  );
  const mounts = [
    'set -e; cd "$0"; mount --bind . .; cd "$0"',
    'mkdir -p dev proc; mount -t tmpfs -o size=64k tmpfs dev',
    ...devices,
    'mount -o remount,bind,ro .',
    'exec unshare --pid --fork --kill-child --root="$0" --mount-proc "$@"',
  ].join('\n');
  const who = ['--wd', config.WorkingDir, '--setgid', group as string, '--setuid', user as string];
  const command = [...config.Entrypoint, ...(args.length > 0 ? args : config.Cmd)];
  const outer = spawn('unshare', ['--mount', 'sh', '-c', mounts, root, ...who, ...command], {
    env: {
      ...Object.fromEntries(config.Env.map((each) => each.split(/=(.*)/s))),
      // Its own ports, on an address that is not reachable from outside.
      ...{ HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0' },
      ...settings,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A process that changes its user is not killed with its parent.
  after(() => pid() > 0 && process.kill(pid(), 'SIGKILL'));
  const began = performance.now();
  const [lines, errors]: [string[], string[]] = [[], []];
  createInterface({ input: outer.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: outer.stderr }).on('line', (line) => errors.push(line));
  const pid = () => childrenOf(outer).at(-1) ?? 0;
  return {
    lines,
    errors,
    pid,
    began,
    ended: once(outer, 'close').then(([code]) => code as number | null),
    signal: (name: NodeJS.Signals) => process.kill(pid(), name),
  };
}

type Container = ReturnType<typeof startContainer>;

async function serving({ lines, errors, ended }: Container): Promise<{ url: string; probes: string }> {
  const line = () => lines.find((each) => each.includes('"msg":"serving"'));
  const gone = ended.then((code) => assert.fail(`it ended with ${code}: ${[...lines, ...errors].join('\n')}`));
  await Promise.race([until('it serves', 120_000, () => line() !== undefined), gone]);
  const { url, internal_url: probes } = JSON.parse(line() as string);
  await until('it is ready', 30_000, async () => (await post(`${probes}/readyz`, '', {}, 'GET')).status === 200);
  return { url, probes };
}

const finished = async (...args: string[]) => {
  const { ended, lines, errors } = startContainer(env, ...args);
  assert.equal(await ended, 0, errors.join('\n'));
  return lines.join('\n');
};

test('there is no shell in it, nothing that gives rights, and nothing that is not needed', { skip }, (t) => {
  const { root, config } = image as Image;
  assert.equal(config.User, `${userId}:${userId}`);
  assert.equal(config.StopSignal, 'SIGTERM');
  const found = globSync('{,usr/,usr/local/}{bin,sbin}/{sh,bash,dash,ash,busybox,apt*,dpkg*,npm,npx}', { cwd: root });
  assert.deepEqual(found, []);
  assert.equal(run('find', [root, '-xdev', '-type', 'f', '-perm', '/6000']).output, '');
  for (const path of ['test', 'deploy', 'node_modules/typescript', 'node_modules/vite', 'packages/console/src']) {
    assert.ok(!existsSync(join(root, 'app', path)), path);
  }
  for (const path of ['docs/operations.md', 'packages/console/dist/index.html', 'packages/server/bin/freebets.js']) {
    assert.ok(existsSync(join(root, 'app', path)), path);
  }
  const megabytes = (path: string) =>
    (Number(run('du', ['--summarize', '--bytes', join(root, path)]).output.split('\t')[0]) / 1e6).toFixed(0);
  const parts = `Node.js ${megabytes('usr/local/bin/node')}, the project ${megabytes('app')}`;
  t.diagnostic(`size: ${megabytes('.')} MB, of which ${parts}`);
});

test('its commands run, and its server runs as an unprivileged user on a read-only root as the first process', {
  skip,
}, async (t) => {
  assert.match(await finished('--version'), /^\d+\.\d+\.\d+$/);
  assert.match(await finished('migrate'), /0001_/);
  await finished('demo');
  const server = startContainer(env);
  const { url, probes } = await serving(server);
  const tookMs = performance.now() - server.began;
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/);
  assert.deepEqual([field('Uid'), field('Gid')], [Array(4).fill(String(userId)), Array(4).fill(String(userId))]);
  assert.deepEqual(field('CapEff'), ['0000000000000000']);
  assert.equal(field('NSpid')?.at(-1), '1');
  const mounts = readFileSync(`/proc/${server.pid()}/mountinfo`, 'utf8').split('\n');
  assert.match(mounts.find((line) => line.split(' ')[4] === '/')?.split(' ')[5] ?? '', /^ro\b/);
  assert.equal((await post(`${url}/readyz`, '', {}, 'GET')).status, 404, 'probes have a port of their own');
  assert.equal((await post(`${probes}/livez`, '', {}, 'GET')).status, 200);
  assert.equal((await post(`${url}/console/`, '', {}, 'GET')).status, 200, 'the console is in it');
  assert.equal((await post(`${url}/docs/partners`, '', {}, 'GET')).status, 200, 'the guides are in it');
  const stat = readFileSync(`/proc/${server.pid()}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const processorS = (Number(stat[11]) + Number(stat[12])) / 100;
  const memoryMb = Number(field('VmRSS')?.[0]) / 1000;
  t.diagnostic(
    `ready after ${(tookMs / 1000).toFixed(1)} s, ${processorS.toFixed(1)} s of processor, ${memoryMb.toFixed(0)} MB`,
  );
  server.signal('SIGTERM');
  assert.equal(await server.ended, 0);
});

test('killed, it loses nothing that was acknowledged; after SIGTERM it serves while it drains, and ends', {
  skip,
}, async () => {
  const killed = startContainer(env);
  const { url } = await serving(killed);
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id })));
  const lost = startLoad(url, issuesFor(campaign_id, 100), 8);
  await until('acknowledged issues', 30_000, () => lost.acknowledged() >= 100);
  killed.signal('SIGKILL');
  await killed.ended;
  await lost.stop();

  const drained = startContainer({ ...env, DRAIN_MS: '3000' });
  const next = await serving(drained);
  await assertAcknowledgedAreThere(next.url, lost);
  const load = startLoad(next.url, issuesFor(campaign_id, 100), 4, undefined, 20);
  await until('acknowledged issues', 30_000, () => load.acknowledged() >= 20);
  const signalled = performance.now();
  drained.signal('SIGTERM');
  await until('it is not ready', 2000, async () => (await post(`${next.probes}/readyz`, '', {}, 'GET')).status === 503);
  const acknowledged = load.acknowledged();
  await until('it serves on', 2000, () => load.acknowledged() > acknowledged + 5);
  await load.stop();
  assert.deepEqual(
    load.sent.filter(({ answer }) => answer?.status !== 200).map(({ answer }) => answer?.text),
    [],
  );
  assert.equal(await drained.ended, 0);
  assert.ok(performance.now() - signalled >= 2900, 'it has drained');
  assert.ok(drained.lines.some((line) => line.includes('"msg":"stopping"')));
});
