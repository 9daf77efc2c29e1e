import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { type ErrorName, errors } from '@freebets/contract';
import { errorHelp } from './error-help.ts';
import { anchorsOf, documents, readDocument, relativeLinksOf, root, wordsIn } from './markdown.ts';
import { tableIn, tables, wholeFiles } from './tables.ts';

// Holds the docs equal to the code. "node test/docs/write-tables.ts" updates them.

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

test('every error has a cause and a fix, and a heading that the API can link to', () => {
  const anchors = anchorsOf(readDocument('docs/reference/errors.md'));
  for (const name of Object.keys(errors) as ErrorName[]) {
    const { cause, fix } = errorHelp[name];
    assert.ok(cause.length > 10 && fix.length > 10, name);
    assert.ok(anchors.includes(name), name);
  }
});

/** These follow from the code and grow with it. */
const generated = ['errors', 'commands', 'settings', 'metrics', 'staff-operations'].map(
  (name) => `docs/reference/${name}.md`,
);

const longerThan = (words: number, pages: string[]): string[] =>
  pages.map((file) => `${file}: ${wordsIn(readDocument(file))}`).filter((each) => Number(/\d+$/.exec(each)) > words);

test('no page of the docs has more than 2,000 words', () => {
  const pages = files.filter((file) => /^docs\/(?!decisions\/)/.test(file) && !generated.includes(file));
  assert.deepEqual(longerThan(2000, pages), []);
});

test('each index of the docs has at most 200 words', () => {
  const indexes = files.filter((file) => /^docs\/[\w-]+\.md$/.test(file) && file !== 'docs/performance.md');
  assert.deepEqual(longerThan(200, indexes), []);
});

test('every link inside the project leads somewhere', () => {
  const broken = files.flatMap((file) =>
    relativeLinksOf(readDocument(file))
      .filter((link) => !leadsSomewhere(file, link))
      .map((link) => `${file}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

/** Pages that others may link to before they are written. */
const planned = ['docs/clients/collection.md'];

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  if (planned.includes(target) && !existsSync(root + target)) return true;
  if (target.startsWith('..') || !existsSync(root + target)) return false;
  return anchor === undefined || anchorsOf(readDocument(target)).includes(anchor);
}

// The docs must not mention paths of one machine or the address of a package registry.
const foreign = [
  /(?<![\w.])\/(work|tmp|home|root|Users|opt(?!\/freebets)|usr(?!\/local\/bin\/node)|var(?!\/cache\/freebets))\b/,
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
