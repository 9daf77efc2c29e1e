import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { unusedExports } from './tidy/exports.ts';
import { droppedPromises } from './tidy/promises.ts';
import { builders, circles, forbiddenImports, roomOf, rooms, unusedPermissions } from './tidy/rooms.ts';
import { entryPaths, read, type Source, sources, tracked } from './tidy/source.ts';
import { avoidedWords, exceptions } from './tidy/words.ts';

// Reads the repository and holds the rules of the house: who may import whom, that nothing lies about unused, and how long a
// file or a function may get.

const ofRooms = sources.filter(({ path }) => roomOf(path) !== undefined);

test('rooms import only what they may', () => {
  for (const { path } of ofRooms) {
    const room = roomOf(path) as string;
    assert.ok(builders.includes(room) || rooms[room], `${room} has no rule: add it to test/tidy/rooms.ts`);
  }
  assert.deepEqual(forbiddenImports(sources), []);
});

test('every permission of a room is used', () => {
  assert.deepEqual(unusedPermissions(sources), []);
});

test('files do not import each other in circles', () => {
  assert.deepEqual(circles(sources), []);
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
  assert.deepEqual(unneeded, [], 'dependencies without imports');
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

test('every file is imported, or named where it is started', () => {
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
    // The documents are made from it.
    'packages/server/src/ops/config.ts: envExample',
    // Vite reads it.
    'packages/console/vite.config.ts: default',
  ];
  // The published client's exports are for its users, so their guide must list them.
  const guide = read('docs/clients/typescript.md');
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

test('SQL is written in sql.ts, in sql/, in the engine and in placement', () => {
  const statement = /\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/s;
  const isPlace = (path: string) =>
    ['engine', 'placement', 'embedded-postgres'].includes(roomOf(path) ?? '') ||
    /\/(sql\.ts|sql\/.+|ops\/schema\/.+)$/.test(path);
  const elsewhere = ofRooms.filter(
    ({ path, strings }) => !isPlace(path) && strings.some((text) => statement.test(text)),
  );
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  );
});

test('rules do no I/O', () => {
  const isRules = (path: string) =>
    /\/([a-z-]+-)?rules\.ts$/.test(path) && path.startsWith('packages/server/src/promo/');
  const doIo = ofRooms
    .filter(({ path }) => isRules(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => /^node:(?!assert|util)|^pg$|\/(sql|engine|edge|placement)\b/.test(from))
        .map(({ from }) => `${path} imports ${from}`),
    );
  assert.deepEqual(doIo, []);
});

test('only data outside of partners uses the real time; partner data uses the business time of engine/clock.ts', () => {
  const readers = ofRooms.flatMap(({ path, strings }) => {
    const count = strings.join('\n').split('world_now()').length - 1;
    return count > 0 ? [`${path}: ${count}`] : [];
  });
  const room = 'packages/server/src';
  assert.deepEqual(readers.toSorted(), [
    // When something was recorded.
    `${room}/audit/sql.ts: 1`,
    // Which partners have work due.
    `${room}/background/sql/due.ts: 3`,
    `${room}/background/sql/work.ts: 2`,
    // The clocks themselves, and when one was moved.
    `${room}/engine/clock.ts: 6`,
    // How long events have waited to be counted.
    `${room}/events/activity/sql.ts: 1`,
    // When events were written.
    `${room}/events/feed/sql/events.ts: 1`,
    // How old events are that are removed.
    `${room}/events/feed/sql/retention.ts: 1`,
    // When a delivery is due, when a webhook received and failed, and when it was turned off.
    `${room}/events/webhooks/sql/courier.ts: 4`,
    // When a delivery that is sent again is due.
    `${room}/events/webhooks/sql/deliveries.ts: 1`,
    // When deliveries are due again, and how long they have waited.
    `${room}/events/webhooks/sql/webhooks.ts: 2`,
    // When a caller was disabled.
    `${room}/partners/callers/sql/secrets.ts: 1`,
    // When a game was withdrawn.
    `${room}/partners/catalogue/sql.ts: 1`,
    // Until when a request of an admin can be confirmed and carried out, and when it was.
    `${room}/people/confirmations/sql.ts: 5`,
    // Who was disabled, and until when an invitation is good.
    `${room}/people/sql/administration.ts: 5`,
    // How long an invitation is good, and when it was used.
    `${room}/people/sql/invitations.ts: 6`,
    // The times of a staff member's sign-in and last activity.
    `${room}/people/sql/sessions.ts: 7`,
    // When a sign-in failed.
    `${room}/people/sql/sign-in-failures.ts: 5`,
    // How long a sign-in may be under way at a provider.
    `${room}/people/sql/single-sign-on.ts: 2`,
    // When a second factor was set up, and a recovery code used.
    `${room}/people/sql/staff.ts: 2`,
    // When events were written.
    `${room}/promo/batch/sql/events.ts: 1`,
    // When a draft was submitted and decided, and until when it can be.
    `${room}/promo/drafts/sql/drafts.ts: 2`,
    // What an author had without approval in the last 24 hours.
    `${room}/promo/drafts/sql/unapproved-exposure.ts: 3`,
    // Until when a report has everything.
    `${room}/reports/sql/reports.ts: 1`,
  ]);
});

test('ARCHITECTURE.md stays short and names only files that exist', () => {
  const text = read('ARCHITECTURE.md');
  assert.ok(text.split(/\s+/).length <= 1500, 'it has more than 1,500 words');
  const glossary = text.split('## Words')[1] ?? '';
  assert.ok(
    glossary.split('\n').filter((line) => line.startsWith('| ')).length <= 11,
    'more than ten words are explained',
  );
  const named = [...text.matchAll(/`(\w[\w./-]*(?:\.ts|\/[\w-]+))`/g)].flatMap(([, path]) => path ?? []);
  const exists = (path: string) =>
    tracked.some((file) => `/${file}`.endsWith(`/${path}`) || `/${file}`.includes(`/${path}/`));
  assert.ok(named.length > 30);
  assert.deepEqual(
    named.filter((path) => !exists(path)),
    [],
  );
});

test('files stay under 400 lines, tests under 500', () => {
  const long = sources.filter(({ path, text }) => text.split('\n').length > (path.endsWith('.test.ts') ? 500 : 400));
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

test('no file has words that make a sentence hard to read', () => {
  assert.deepEqual(avoidedWords(), exceptions, 'write it plainly');
  assert.ok(exceptions.length <= 20);
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
