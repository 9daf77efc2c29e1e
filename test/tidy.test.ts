import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

// Reads the repository and holds the rules of the house: who may import whom, and how long a file or function may get.

const root = fileURLToPath(new URL('..', import.meta.url));

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n');
const sources = tracked.filter((path) => /\.(ts|js)$/.test(path));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** A room is a folder of the server; what builds the server out of them lies beside them. */
const mayImport: Record<string, string[]> = {
  contract: [],
  client: ['contract'],
  'embedded-postgres': [],
  domain: ['contract'],
  background: [],
  db: ['background'],
  sql: ['db', 'domain'],
  lanes: ['db', 'domain', 'sql'],
  callers: ['db', 'sql'],
  catalogue: ['contract', 'db', 'domain', 'sql'],
  http: ['contract', 'db', 'domain', 'sql', 'lanes'],
  expiry: ['background', 'db', 'lanes', 'sql'],
  webhooks: ['background', 'contract', 'db', 'domain', 'lanes', 'sql'],
  demo: ['contract', 'callers', 'catalogue', 'db', 'sql'],
  'failure.ts': [],
  'version.ts': [],
  'config.ts': ['failure.ts'],
};
/** What builds the rest may import all of it. */
const builders = ['main.ts', 'runtime', 'cli'];

function roomOf(path: string): string | undefined {
  const [, name, room] = /^packages\/([^/]+)\/src\/([^/]+)/.exec(path) ?? [];
  return name === 'server' ? room : name;
}

const importsOf = (path: string) =>
  read(path)
    .matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from '([^']+)'|import\('([^']+)'\)/g)
    .map((match) => match[1] ?? match[2] ?? '')
    .map((name) => name.replace(/^@freebets\/([^/]+).*$/, 'packages/$1/src/index.ts'))
    .map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name))
    .toArray();

test('rooms import only what they may', () => {
  const wrong: string[] = [];
  for (const path of sources) {
    const from = roomOf(path);
    if (from === undefined || builders.includes(from)) continue;
    const allowed = mayImport[from];
    assert(allowed, `${from} has no rule: say in test/tidy.test.ts what it may import`);
    for (const name of importsOf(path)) {
      const to = roomOf(name);
      if (to !== undefined && to !== from && !allowed.includes(to)) wrong.push(`${path} imports ${name}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('only main.ts reads the environment', () => {
  const readers = sources.filter((path) => roomOf(path) !== undefined && read(path).includes('process.env'));
  // The embedded PostgreSQL is started with the server's PATH, and nothing else of its environment.
  assert.deepEqual(readers, ['packages/embedded-postgres/src/run-as.ts', 'packages/server/src/main.ts']);
});

test('SQL is written in sql/ only', () => {
  const statement = /\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/;
  const elsewhere = sources.filter((path) => {
    const room = roomOf(path);
    return room !== undefined && !['sql', 'db', 'embedded-postgres'].includes(room) && statement.test(read(path));
  });
  assert.deepEqual(elsewhere, []);
});

test('files stay under 400 lines', () => {
  const long = sources.filter((path) => read(path).split('\n').length > 400);
  assert.deepEqual(long, []);
});

/** Relies on the formatter: a function ends at the first closing brace that stands as far in as the function itself. */
function functionLengths(text: string): { line: number; length: number }[] {
  const lines = text.split('\n');
  const indent = (line: string) => line.length - line.trimStart().length;
  return lines.flatMap((line, start) => {
    const opens = /(\bfunction\b.*|=>|^\s*(async )?\w+\(.*\)(: [^=]+)?) \{$|^\): .* \{$/.test(line);
    const isTest = /^(test|describe|suite)\(/.test(line);
    const isBlock = /^\s*(if|for|while|switch)\b/.test(line);
    if (!opens || isTest || isBlock) return [];
    const end = lines.findIndex((other, i) => i > start && indent(other) <= indent(line) && /^\s*[})]/.test(other));
    return [{ line: start + 1, length: end - start + 1 }];
  });
}

test('functions stay under 70 lines', () => {
  const long = sources.flatMap((path) =>
    functionLengths(read(path))
      .filter(({ length }) => length > 70)
      .map(({ line, length }) => `${path}:${line} has ${length} lines`),
  );
  assert.deepEqual(long, []);
});

test('names say what things are', () => {
  const vague = sources.filter((path) => /(^|\/)(utils?|helpers?|common|misc|manager|impl)\b/i.test(path));
  assert.deepEqual(vague, []);
});

test('nothing is left unfinished or switched off', () => {
  const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', '\\.on' + 'ly\\(', 'test\\.to' + 'do'].join('|'));
  const found = sources.filter((path) => marks.test(read(path)));
  assert.deepEqual(found, []);
});

test('the lock file records no download addresses', () => {
  const lock: { packages: Record<string, { resolved?: string; link?: boolean }> } = JSON.parse(
    read('package-lock.json'),
  );
  const recorded = Object.entries(lock.packages).filter(([, entry]) => entry.resolved && !entry.link);
  assert.deepEqual(recorded, []);
});
