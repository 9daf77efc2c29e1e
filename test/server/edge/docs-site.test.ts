import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { operations } from '@freebets/contract';
import { sections } from '../../../packages/server/src/edge/pages/contents.ts';
import { renderMarkdown } from '../../../packages/server/src/edge/pages/markdown.ts';
import type { DocPage, Site } from '../../../packages/server/src/edge/pages/site.ts';
import { documents, readDocument, root } from '../../docs/markdown.ts';
import { post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

// The documentation as the server serves it, compared with the files.

const { env } = await testDatabase();
const { url } = await testServer(env);
const get = async (path: string) => (await post(`${url}/docs/${path}`, '', {}, 'GET')).text;

const fileOf = (path: string) => (path === 'architecture' ? 'ARCHITECTURE.md' : `docs/${path}.md`);
const inContents = sections.flatMap(({ pages, unlisted = [] }) => [...pages, ...unlisted]);
const decisions = documents('docs/decisions/').map((file) => file.slice('docs/'.length, -'.md'.length));
const paths = [...inContents.filter((path) => path !== 'decisions' && existsSync(root + fileOf(path))), ...decisions];

test('every document is in the table of contents, once', () => {
  const files = documents('docs/').filter((file) => !file.startsWith('docs/decisions/'));
  const missing = files.filter((file) => !inContents.some((path) => fileOf(path) === file));
  assert.deepEqual(missing, []);
  assert.equal(new Set(inContents).size, inContents.length);
});

const htmlOf = new Map(
  await Promise.all(
    ['', 'try', 'decisions', ...paths].map(async (path): Promise<[string, string]> => [path, await get(path)]),
  ),
);

test('every page has the title and the code blocks of its file, and the address of this server', () => {
  for (const path of paths) {
    const html = htmlOf.get(path) ?? '';
    const markdown = readDocument(fileOf(path));
    assert.match(html, /<title>[^<]+ · Freebets<\/title>/, path);
    assert.equal(html.match(/<h1 /g)?.length, 1, path);
    assert.equal(html.match(/<pre /g)?.length ?? 0, (markdown.match(/^ *```\S/gm) ?? []).length, path);
    assert.ok(!html.includes('http://127.0.0.1:8080'), path);
    assert.equal(html.includes(url), markdown.includes('http://127.0.0.1:8080'), path);
  }
});

const referenceTo = ({ path, tag }: { path: string; tag: string }) =>
  `tag/${tag.toLowerCase().replaceAll(' ', '-')}/POST${path}`;

const linksIn = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

test('every link and picture leads somewhere, and the pages link every operation', async () => {
  const unlinked = new Set(Object.values(operations).map(referenceTo));
  const targets = new Map<string, string>();
  for (const [path, html] of htmlOf) {
    for (const link of linksIn(html)) {
      assert.doesNotMatch(link, /^\//, `${path} must work behind a proxy with a path prefix`);
      const { origin, href } = new URL(link.replaceAll('&#39;', "'"), `${url}/docs/${path}`);
      if (origin === url) targets.set(href.slice(url.length), path);
    }
  }
  const statuses = new Map<string, number>();
  for (const [target, from] of targets) {
    const [path = '', anchor] = target.split('#');
    if (!statuses.has(path)) statuses.set(path, (await post(url + path, '', {}, 'GET')).status);
    assert.ok([200, 302].includes(statuses.get(path) ?? 0), `${from} links to ${path}`);
    const html = htmlOf.get(path.replace('/docs/', ''));
    if (path === '/docs/reference' && anchor !== undefined) unlinked.delete(anchor);
    else if (anchor !== undefined && html !== undefined && path !== '/docs/try')
      assert.ok(idsIn(html).has(decodeURIComponent(anchor)), `${from} links to ${target}`);
  }
  assert.deepEqual([...unlinked], []);
});

test('a trailing slash redirects to the page, and unknown pages are refused', async () => {
  const { status, headers } = await post(`${url}/docs/partners/`, '', {}, 'GET');
  assert.deepEqual([status, headers.location], [302, '../partners']);
  for (const path of [
    'nothing',
    'partners/nothing',
    'partners.md',
    '../ARCHITECTURE',
    'images/sources.json',
    'images/',
  ]) {
    assert.equal((await post(`${url}/docs/${path}`, '', {}, 'GET')).status, 404, path);
  }
});

const pageNamed = (path: string, markdown = ''): DocPage => ({
  path,
  file: `docs/${path}.md`,
  section: 'x',
  title: path,
  markdown,
  isListed: true,
});

function rendered(path: string, markdown: string): string {
  const page = pageNamed(path, markdown);
  const all = [page, pageNamed('partners'), pageNamed('partners/webhooks')];
  const site: Site = {
    pages: new Map(all.map((each) => [each.path, each])),
    byFile: new Map(all.map((each) => [each.file, each])),
    listed: all,
  };
  return renderMarkdown(site, page, 'https://bets.example/v').article.trim();
}

test('links between files become links between pages, and others become text', () => {
  const cases = {
    '[a](../partners.md)': '<a href="../partners">a</a>',
    '[a](../partners/webhooks.md#x)': '<a href="../partners/webhooks#x">a</a>',
    '[a](#here)': '<a href="#here">a</a>',
    '[a](https://x.example/)': '<a href="https://x.example/">a</a>',
    '[a](http://127.0.0.1:8080/console/)': '<a href="../../console/">a</a>',
    '[a](../../deploy/x.yaml)': 'a',
    '[a](gone.md)': 'a',
    '[`/FreeBets/Issue`](../partners.md)': '<a href="../partners"><code>/FreeBets/Issue</code></a>',
    '![A "list"](../images/x.webp)': '<img src="../images/x.webp" alt="A &quot;list&quot;" loading="lazy">',
    '[a](javascript:alert)': 'a',
  };
  for (const [markdown, html] of Object.entries(cases)) {
    assert.equal(rendered('operate/docker', markdown), `<p>${html}</p>`, markdown);
  }
});

test('anchors in Markdown survive, and other HTML is escaped', () => {
  assert.equal(
    rendered('partners', '<a id="a-1"></a><a id="b"></a>[x](partners/webhooks.md)'),
    '<p><a id="a-1"></a><a id="b"></a><a href="partners/webhooks">x</a></p>',
  );
  assert.match(
    rendered('partners', '<img src=x onerror=alert(1)> <a id="x" onclick="y"></a>'),
    /^<p>&lt;img.*&lt;a id/,
  );
  assert.match(rendered('partners', '<script>alert(1)</script>'), /^&lt;script/);
  assert.match(rendered('partners', '## One\n\n## One'), /<h2 id="one">.*\n<h2 id="one-1">/);
});

test('the search index has every listed page, leads to anchors, and stays small', async () => {
  const text = await get('search.json');
  const pages: [string, string, string, [string, string, string][]][] = JSON.parse(text);
  const listed = sections.flatMap(({ pages: names }) => names).filter((path) => htmlOf.has(path));
  assert.deepEqual(
    pages.map(([path]) => path),
    listed,
  );
  for (const [path, title, , parts] of pages) {
    assert.notEqual(title, path);
    const ids = idsIn(htmlOf.get(path) ?? '');
    for (const [id, , words] of parts) {
      assert.ok(id === '' || ids.has(id), `${path}#${id}`);
      assert.doesNotMatch(words, /\[object |<!--/, path);
    }
  }
  assert.ok(gzipSync(text).length < 200_000, `${gzipSync(text).length} bytes`);
});
