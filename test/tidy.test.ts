import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { unusedExports } from './tidy/exports.ts';
import { droppedPromises } from './tidy/promises.ts';
import { entryPaths, read, type Source, sources, tracked } from './tidy/source.ts';

// Reads the repository and holds the rules of the house: who may import whom, that nothing lies about unused, and how long a
// file or a function may get.

/** A room is a folder of the server; what builds the server out of them lies beside them. */
const mayImport: Record<string, string[]> = {
  contract: [],
  client: [],
  'embedded-postgres': [],
  console: ['client', 'contract'],
  domain: ['contract'],
  background: [],
  db: ['background'],
  sql: ['contract', 'db', 'domain'],
  lanes: ['db', 'domain', 'sql', 'tracing.ts'],
  callers: ['db', 'networks.ts', 'sql'],
  catalogue: ['contract', 'db', 'domain', 'ready-bytes.ts', 'sql'],
  staff: ['background', 'callers', 'contract', 'db', 'domain', 'sql'],
  changes: ['callers', 'catalogue', 'contract', 'db', 'domain', 'lanes', 'networks.ts', 'sql', 'staff', 'webhooks'],
  http: [
    'audit',
    'background',
    'changes',
    'contract',
    'db',
    'domain',
    'lanes',
    'networks.ts',
    'ready-bytes.ts',
    'sql',
    'staff',
    'tracing.ts',
  ],
  audit: ['contract', 'db', 'domain', 'sql'],
  expiry: ['background', 'db', 'lanes', 'sql'],
  activity: ['background', 'changes', 'db', 'domain', 'sql'],
  due: ['background', 'db', 'sql'],
  webhooks: ['background', 'contract', 'db', 'domain', 'due', 'sql', 'tracing.ts'],
  jobs: ['background', 'db', 'domain', 'lanes', 'sql'],
  check: ['client', 'contract', 'domain', 'failure.ts', 'http', 'webhooks'],
  demo: ['contract', 'callers', 'catalogue', 'db', 'domain', 'lanes', 'sql'],
  'failure.ts': [],
  'version.ts': [],
  'tracing.ts': ['version.ts'],
  'networks.ts': [],
  'ready-bytes.ts': [],
  'config.ts': ['failure.ts', 'networks.ts'],
};
/** What builds the rest may import all of it. */
const builders = ['main.ts', 'runtime', 'cli'];

function roomOf(path: string): string | undefined {
  const [, name, room] = /^packages\/([^/]+)\/src\/([^/]+)/.exec(path) ?? [];
  return name === 'server' ? room : name;
}

const ofRooms = sources.filter(({ path }) => roomOf(path) !== undefined);

/** Each import of one room by another, as "domain contract". */
const passages = new Map<string, string[]>();
for (const { path, imports } of ofRooms) {
  for (const { from } of imports) {
    const [here, there] = [roomOf(path), roomOf(from)];
    if (there === undefined || there === here) continue;
    passages.set(`${here} ${there}`, [...(passages.get(`${here} ${there}`) ?? []), `${path} imports ${from}`]);
  }
}

test('rooms import only what they may', () => {
  for (const { path } of ofRooms) {
    const room = roomOf(path) as string;
    assert.ok(builders.includes(room) || mayImport[room], `${room} has no rule: say here what it may import`);
  }
  const isAllowed = (passage: string) => {
    const [here = '', there = ''] = passage.split(' ');
    return builders.includes(here) || mayImport[here]?.includes(there);
  };
  assert.deepEqual(
    [...passages].flatMap(([passage, all]) => (isAllowed(passage) ? [] : all)),
    [],
  );
});

test('rooms may import only what they do', () => {
  const rooms = new Set(ofRooms.map(({ path }) => roomOf(path)));
  const unneeded = Object.entries(mayImport).flatMap(([here, allowed]) =>
    rooms.has(here)
      ? allowed.filter((there) => !passages.has(`${here} ${there}`)).map((there) => `${here} ${there}`)
      : [here],
  );
  assert.deepEqual(unneeded, [], 'permissions that nobody needs');
});

interface Manifest {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifests = tracked.filter((path) => basename(path) === 'package.json');
const manifest = (path: string): Manifest => JSON.parse(read(path));
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
const isPackage = (from: string) => !from.startsWith('node:') && !/\.(tsx?|css)$/.test(from);

/** Every package that these files import, or name so that it is found. */
const packagesOf = (files: Source[]): Set<string> =>
  new Set([
    ...files.flatMap(({ imports }) => imports.map(({ from }) => packageOf(from))),
    ...files.flatMap(({ strings }) => strings.map(packageOf)),
    ...files.flatMap(({ imports }) =>
      imports.flatMap(({ from }) => (roomOf(from) ? [`@freebets/${from.split('/')[1]}`] : [])),
    ),
  ]);

test('packages depend on what they import, and on nothing else', () => {
  const unneeded: string[] = [];
  const missing: string[] = [];
  for (const path of manifests.filter((path) => path !== 'package.json')) {
    const files = sources.filter((source) => source.path.startsWith(`${dirname(path)}/`));
    const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest(path);
    const declared = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const imported = packagesOf(files);
    const isForOthers = (name: string) => name.startsWith('@types/');
    if (files.length > 0) unneeded.push(...declared.filter((name) => !imported.has(name) && !isForOthers(name)));
    for (const { path, imports } of files) {
      const others = imports.map(({ from }) => from).filter((from) => isPackage(from));
      missing.push(...others.filter((from) => !declared.includes(packageOf(from))).map((from) => `${path}: ${from}`));
    }
  }
  assert.deepEqual(missing, []);
  assert.deepEqual(unneeded, [], 'dependencies that nobody imports');
});

test('TypeBox lends its types only, for it takes long to load', () => {
  const loading = ofRooms.filter(({ text }) => /^import (?!type ).*from 'typebox'/m.test(text));
  assert.deepEqual(
    loading.map(({ path }) => path),
    [],
    'build schemas with packages/contract/src/type.ts',
  );
});

test('what development needs is used by a script, a test or the benchmark', () => {
  const { devDependencies = {}, scripts = {} } = manifest('package.json');
  const used = packagesOf(sources.filter(({ path }) => !path.startsWith('packages/')));
  // A package of types is there for the package it describes; a program is named by a script, or started by its path.
  const programs = { typescript: 'tsc', '@biomejs/biome': 'biome', '@redocly/cli': 'redocly' } as Record<
    string,
    string
  >;
  const named = [...Object.values(scripts), ...sources.flatMap(({ strings }) => strings)].join(' ');
  const unused = Object.keys(devDependencies).filter((name) => {
    const program = programs[name];
    if (program !== undefined) return !new RegExp(`\\b${program}\\b`).test(named);
    return !name.startsWith('@types/') && !used.has(name);
  });
  assert.deepEqual(unused, []);
});

test('every file is imported, or named by whoever starts it', () => {
  const imported = new Set(sources.flatMap(({ imports }) => imports.map(({ from }) => from)));
  const starters = [...manifests, 'CONTRIBUTING.md', ...tracked.filter((path) => path.endsWith('.html'))];
  const scripts = starters.map((path) => read(path)).join('\n');
  const isStarted = (path: string) =>
    scripts.includes(basename(path)) ||
    sources.some((source) => source.path !== path && source.strings.some((text) => text.endsWith(basename(path))));
  const alone = sources
    .map(({ path }) => path)
    .filter((path) => !imported.has(path) && !entryPaths.has(path) && !path.endsWith('.test.ts') && !isStarted(path));
  assert.deepEqual(alone, []);
});

test('every export is used', () => {
  const forOthers = [
    // The documents are made from these two.
    'packages/server/src/ops/config.ts: settingsTable',
    'packages/server/src/ops/config.ts: envExample',
    // Vite reads it.
    'packages/console/vite.config.ts: default',
  ];
  // What the published client exports is for whoever installs it, and so is in their guide.
  const guide = read('docs/sdk.md');
  const isPublished = (name: string) =>
    name.startsWith('packages/client/src/') && guide.includes(name.split(' ')[1] ?? '');
  assert.deepEqual(
    unusedExports(sources).filter((name) => !forOthers.includes(name) && !isPublished(name)),
    [],
  );
});

test('only main.ts reads the environment', () => {
  const readers = ofRooms.filter(({ text }) => text.includes('process.env')).map(({ path }) => path);
  // The embedded PostgreSQL is started with the environment of the server, less what would lead it elsewhere.
  assert.deepEqual(readers, ['packages/embedded-postgres/src/run-as.ts', 'packages/server/src/main.ts']);
});

test('SQL is written in sql/ only', () => {
  const statement = /\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/s;
  const elsewhere = ofRooms.filter(
    ({ path, strings }) =>
      !['sql', 'db', 'embedded-postgres'].includes(roomOf(path) ?? '') && strings.some((text) => statement.test(text)),
  );
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  );
});

test('only what belongs to the world goes by its time: whatever is a partner’s goes by the business time of engine/clock.ts', () => {
  const readers = ofRooms.flatMap(({ path, strings }) => {
    const count = strings.join('\n').split('world_now()').length - 1;
    return count > 0 ? [`${path}: ${count}`] : [];
  });
  const room = 'packages/server/src/sql';
  assert.deepEqual(readers.toSorted(), [
    // How long events have waited to be counted.
    `${room}/activity.ts: 1`,
    // When something was recorded.
    `${room}/audit.ts: 1`,
    // The clocks themselves, and when one was moved.
    `${room}/clock.ts: 7`,
    // Until when a request of an admin can be confirmed and carried out, and when it was.
    `${room}/confirmations.ts: 5`,
    // When a delivery is due.
    `${room}/deliveries.ts: 2`,
    // When a draft was submitted and decided, and until when it can be.
    `${room}/drafts.ts: 2`,
    // Who is to be woken by now, and who has something to do.
    `${room}/due.ts: 4`,
    // When events were written.
    `${room}/events.ts: 3`,
    // When a game was withdrawn.
    `${room}/games.ts: 1`,
    // How long an invitation is good, and when it was used.
    `${room}/invitations.ts: 6`,
    // How old events are that are removed.
    `${room}/old-events.ts: 1`,
    // Until when a report has everything.
    `${room}/reports.ts: 1`,
    // When a caller was disabled.
    `${room}/secrets.ts: 1`,
    // When somebody of the staff signed in, and was last seen.
    `${room}/sessions.ts: 7`,
    // When a sign-in failed.
    `${room}/sign-in-failures.ts: 5`,
    // How long a sign-in may be under way at a provider.
    `${room}/single-sign-on.ts: 2`,
    // Who was disabled, and until when an invitation is good.
    `${room}/staff-admin.ts: 5`,
    // When a second factor was set up, and a recovery code used.
    `${room}/staff.ts: 2`,
    // What an author had without approval in the last 24 hours.
    `${room}/unapproved-exposure.ts: 3`,
    // When a webhook received, and failed.
    `${room}/webhook-progress.ts: 1`,
    // When a webhook was turned off, and what waits.
    `${room}/webhooks.ts: 4`,
  ]);
});

test('files stay under 400 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 400);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

test('functions stay under 70 lines', () => {
  const long = sources.flatMap(({ path, functions }) =>
    functions.filter(({ lines }) => lines > 70).map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
  );
  assert.deepEqual(long, []);
});

test('no promise is dropped without a handler for its failure', () => {
  assert.deepEqual(droppedPromises(ofRooms), []);
});

test('a promise that is dropped is found', () => {
  const dropped = (text: string) => droppedPromises([{ path: 'a.ts', text }]).length;
  const reply = 'const reply = async () => {};';
  for (const text of [
    'void reply();',
    'void this.reply();',
    'void reply().then(() => {});',
    'void reply().finally(() => {});',
    'if (a) b(); else void reply();',
    'void Promise.all([]);',
    'setInterval(() => void reply(), 5);',
    'setInterval(() => reply(), 5);',
    'setTimeout(reply, 5);',
    "process.on('message', () => reply());",
    "process.on('message', async () => {});",
  ])
    assert.equal(dropped(`${reply} ${text}`), 1, text);
  for (const text of [
    'reply().catch(fail);',
    'void reply().catch(fail);',
    'void reply().then(use, fail);',
    'void reply().catch(fail).finally(end);',
    'setInterval(() => reply().catch(fail), 5);',
    'void element.focus();',
  ])
    assert.equal(dropped(`${reply} ${text}`), 0, text);
});

test('names say what things are', () => {
  const vague = sources.filter(({ path }) => /(^|\/)(utils?|helpers?|common|misc|manager|impl)\b/i.test(path));
  assert.deepEqual(
    vague.map(({ path }) => path),
    [],
  );
});

test('nothing is left unfinished or switched off', () => {
  const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '\\.on' + 'ly\\(', 'test\\.to' + 'do'].join('|'));
  const found = sources.filter(({ text }) => marks.test(text));
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  );
});

test('nothing names a folder of one developer’s machine', () => {
  const home = new RegExp(
    `(^|[\\s'"\`(=:])/(${['wo' + 'rk', 'ro' + 'ot', 'ho' + 'me', 'Us' + 'ers'].join('|')})/`,
    'm',
  );
  const texts = tracked.filter(
    (path) => /\.(ts|js|json|md|sql|sh|ya?ml)$|^\.ci\//.test(path) && path !== 'package-lock.json',
  );
  assert.deepEqual(
    texts.filter((path) => home.test(read(path))),
    [],
  );
});

test('the lock file records no download addresses', () => {
  const lock: { packages: Record<string, { resolved?: string; link?: boolean }> } = JSON.parse(
    read('package-lock.json'),
  );
  const recorded = Object.entries(lock.packages).filter(([, entry]) => entry.resolved && !entry.link);
  assert.deepEqual(recorded, []);
});
