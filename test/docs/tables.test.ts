import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { anchorsOf, documents, readDocument, relativeLinksOf, root } from './markdown.ts';
import { tableIn, tables, wholeFiles } from './tables.ts';

// What the docs say twice, they say equally: "node test/docs/write-tables.ts" brings them up to date.

for (const { file, name, make } of tables) {
  test(`the table of ${name} in ${file} is what the code says`, async () => {
    assert.equal(tableIn(file, name), await make());
  });
}

for (const { file, make } of wholeFiles) {
  test(`${file} is what the code says`, () => {
    assert.equal(readDocument(file), make());
  });
}

const files = documents();

test('there are documents to look at', () => {
  for (const file of ['README.md', 'ARCHITECTURE.md', 'docs/partners.md', 'docs/providers.md'])
    assert.ok(files.includes(file), file);
});

test('every link inside the project leads somewhere', () => {
  const broken = files.flatMap((file) =>
    relativeLinksOf(readDocument(file))
      .filter((link) => !leadsSomewhere(file, link))
      .map((link) => `${file}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  if (target.startsWith('..') || !existsSync(root + target)) return false;
  return anchor === undefined || anchorsOf(readDocument(target)).includes(anchor);
}

// The project stands alone: no path of some machine but the one that it makes itself, and no address that packages happened to
// come from.
const foreign = [
  /(?<![\w.])\/(work|tmp|home|root|Users|opt|usr|var(?!\/cache\/freebets))\b/,
  /\bregistry\b/i,
  /\bnpmjs\b/,
  /\bverdaccio\b/i,
];

test('no document speaks of anything outside the project', () => {
  const found = files.flatMap((file) =>
    foreign.flatMap((form) => {
      const match = form.exec(readDocument(file));
      return match ? [`${file}: ${match[0]}`] : [];
    }),
  );
  assert.deepEqual(found, []);
});
