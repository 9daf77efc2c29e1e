import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { testDatabase } from '../support/database.ts';
import { isLong } from '../support/long.ts';
import { programs, whyNoRuntimes } from '../support/runtimes.ts';
import { testServer } from '../support/server.ts';
import { answersInTurn, expectedVectors, expectedWalk } from './walk/expected.ts';
import { errorServer, losingLine } from './walk/line.ts';

// The client as users install it: packed, in an empty project.

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'freebets-packed-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [built, project] = ['built', 'project'].map((name) => join(folder, name)) as [string, string];

function run(program: string, args: string[], cwd = folder): string {
  // Users have none of our settings.
  const { PATH, HOME = folder } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: { PATH, HOME, NO_COLOR: '1' } });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return String(stdout);
}

const tsc = join(root, 'node_modules/typescript/bin/tsc');
run(process.execPath, [join(root, 'packages/client/build.ts'), built]);
const tarball = join(folder, run('npm', ['pack', '--silent', built]).trim());
mkdirSync(project);
writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], project);
const installed = join(project, 'node_modules/@freebets/client');

test('it is installed alone: no dependencies, nothing but JavaScript, declarations, maps and the sources they lead to', () => {
  assert.deepEqual(readdirSync(join(project, 'node_modules')).toSorted(), ['.package-lock.json', '@freebets']);
  const {
    dependencies,
    private: isPrivate,
    scripts,
    main,
    types,
  } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual(
    { dependencies, isPrivate, scripts },
    { dependencies: undefined, isPrivate: undefined, scripts: undefined },
  );
  // For compilers that do not read `exports`.
  for (const path of [main, types]) assert.ok(existsSync(join(installed, path)), path);
  assert.deepEqual(readdirSync(installed).toSorted(), ['README.md', 'dist', 'package.json', 'src']);
  const files = readdirSync(join(installed, 'dist'));
  for (const source of readdirSync(join(installed, 'src'))) {
    const name = source.replace(/\.ts$/, '');
    for (const suffix of ['.js', '.js.map', '.d.ts', '.d.ts.map'])
      assert.ok(files.includes(name + suffix), name + suffix);
  }
  for (const name of files.filter((name) => name.endsWith('.map'))) {
    const { sources } = JSON.parse(readFileSync(join(installed, 'dist', name), 'utf8'));
    for (const path of sources) assert.ok(existsSync(join(installed, 'dist', path)), `${name} leads to ${path}`);
  }
  assert.ok(statSync(tarball).size < 75_000, `${statSync(tarball).size} bytes packed`);
});

const user = `import {
  ConflictError, type ErrorName, type FreeBet, FreebetsError, Partner, Provider, RateLimitError, verifyWebhook,
} from '@freebets/client';

const partner = new Partner({ baseUrl: 'http://127.0.0.1', clientId: 1, secret: 'secret' });
const provider = new Provider({ baseUrl: 'http://127.0.0.1', providerId: 'one', secret: 'secret' });

export async function first(): Promise<FreeBet> {
  return partner.freeBets.issue({ campaign_id: 'one', player_id: 'two', currency: 'EUR' });
}
export async function all(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { issue_id } of partner.freeBets.list({ status: 'active' })) ids.push(issue_id);
  for await (const event of partner.events({ after: 1 })) {
    if (event.type === 'freebet.settled') ids.push(event.data.bet.bet_id);
    if (event.type === 'job.finished') ids.push(event.data.job.job_id);
  }
  await partner.jobs.run([{ player_id: 'one', currency: 'EUR' }], { name: 'a job', campaign_id: 'one' });
  return ids;
}
export async function settled(bet_id: string): Promise<string> {
  try {
    return (await provider.rounds.settle({ client_id: 1, bet_id, result: 'lost' })).win_amount;
  } catch (error) {
    if (error instanceof FreebetsError && error.name === 'bet_already_settled') return error.requestId ?? '';
    throw error;
  }
}
export async function firstPage(): Promise<[string | null, string | undefined]> {
  const list: Promise<{ next_cursor: string | null; requestId?: string | undefined }> = partner.campaigns.list();
  const { next_cursor, requestId } = await list.finally(() => {});
  const { requestId: stopped } = await partner.campaigns.stop({ campaign_id: 'one' }, { maxRetries: 0, timeoutMs: 1 });
  return [next_cursor, requestId ?? stopped];
}
export async function ofItems(): Promise<ErrorName[]> {
  const { results } = await partner.freeBets.issueBatch({ items: [] });
  return results.flatMap((one) => ('error' in one && one.error ? [one.error.error] : []));
}
export function ofClass(error: unknown): string {
  if (error instanceof ConflictError && error.error === 'campaign_ended') return error.error;
  if (error instanceof RateLimitError) return \`\${error.retryAfterMs} \${error.docUrl}\`;
  return error instanceof FreebetsError ? error.error : '';
}
export const type = async (body: Uint8Array, headers: Headers) => (await verifyWebhook(body, headers, ['a', 'b'])).type;

export async function wrong() {
  // @ts-expect-error: money is written as a string.
  await partner.freeBets.issue({ player_id: 'x', currency: 'EUR', bet_amount: 1, quantity: 1, games: [], valid_until: '' });
  // @ts-expect-error: there is no such error.
  if (new FreebetsError('no_answer', '', {}).name === 'bonus_limit_reachd') return;
  // @ts-expect-error: this is an error of another class.
  if (new ConflictError('job_failed', '', {}).error === 'free_bet_not_found') return;
  // @ts-expect-error: a partner has no rounds.
  partner.rounds;
}
`;

/** Of what a browser has, what the types of every version of Node.js name too. */
const node = `interface AbortSignal {}
interface Response {}
interface Headers extends Iterable<[string, string]> {}
declare function fetch(url: string): Promise<Response>;
declare const crypto: { subtle: { importKey(): Promise<object> } };
`;

test('a strict compiler accepts valid code with any library, and finds errors', () => {
  writeFileSync(join(project, 'user.ts'), user);
  const strict = [tsc, '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', 'user.ts'];
  for (const how of ['nodenext', 'preserve']) {
    run(process.execPath, [...strict, '--module', how, '--types', '', '--target', 'es2022'], project);
  }
  writeFileSync(join(project, 'node.d.ts'), node);
  const alone = ['--module', 'node16', '--target', 'es2022', '--lib', 'es2022', '--types', ''];
  run(process.execPath, [...strict, 'node.d.ts', ...alone], project);
});

const { env } = await testDatabase();
const { url } = await testServer(env);
const errors = await errorServer();

async function walkUnder(program: string, args: string[] = []): Promise<void> {
  copyFileSync(new URL('./walk/walk.mjs', import.meta.url), join(project, 'walk.mjs'));
  const line = await losingLine(url);
  const vectors = join(root, 'packages/contract/vectors');
  const given = { SERVER: line.url, ERRORS: errors, ANSWERS: answersInTurn, VECTORS: vectors };
  const own = { PATH: process.env.PATH, HOME: folder, DENO_DIR: join(folder, 'deno'), NO_COLOR: '1' };
  const child = spawn(program, [...args, 'walk.mjs'], { cwd: project, env: { ...own, ...given } });
  const [printed, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 0, complaint);
  assert.deepEqual(JSON.parse(printed), { walk: expectedWalk, vectors: expectedVectors });
  assert.ok(line.count.received >= 2 * line.count.different);
}

test('it walks under this Node.js', () => walkUnder(process.execPath));

const whyNot = isLong ? whyNoRuntimes() : undefined;
/** Where it is asked for, what cannot be fetched is a failure: skipped, it would hide one. */
const fetched = (name: string, work: () => unknown) =>
  test(name, { skip: !isLong && 'npm run test:long fetches what this needs' }, async () => {
    assert.equal(whyNot, undefined);
    await work();
  });
const runtimes: [name: string, program: string, args: string[]][] = [
  ['Node.js 20', programs.node20, []],
  ['Node.js 22', programs.node22, []],
  ['Bun', programs.bun, []],
  ['Deno', programs.deno, ['run', '--allow-net', '--allow-env', '--allow-read']],
];
for (const [name, program, args] of runtimes) {
  fetched(`it walks under ${name}`, () => walkUnder(program, args));
}

test('publint finds nothing wrong with the package', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  assert.equal(pkg.name, '@freebets/client');
  assert.deepEqual(messages, []);
});

fetched('attw finds nothing wrong with the types', () => {
  run(process.execPath, [programs.attw, tarball, '--profile', 'esm-only', '--no-emoji']);
});

test('it is under 16.5 kB minified', async () => {
  const bundle = await rolldown({ input: join(installed, 'dist/index.js') });
  const { output } = await bundle.generate({ minify: true });
  const bytes = Buffer.byteLength(output[0].code);
  assert.ok(bytes < 16_500, `${bytes} bytes`);
});

test('the command of the guide installs the same package', () => {
  const guide = readFileSync(join(root, 'docs/clients/typescript.md'), 'utf8');
  const [, command = ''] = /^npm (install .+) \S+\/packages\/client\/dist$/m.exec(guide) ?? [];
  const other = join(folder, 'other');
  mkdirSync(other);
  run('npm', [...command.split(' '), '--offline', '--no-audit', '--no-fund', built], other);
  const copy = join(other, 'node_modules/@freebets/client');
  assert.ok(!lstatSync(copy).isSymbolicLink());
  assert.deepEqual(
    readdirSync(copy, { recursive: true }).toSorted(),
    readdirSync(installed, { recursive: true }).toSorted(),
  );
});
