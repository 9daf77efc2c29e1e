import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basePath, operations, sign } from '@freebets/contract';
import type { Page } from 'playwright-core';
import { testBrowser, whyNoBrowser } from '../../support/browser.ts';
import { demo } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

// The pages as a browser shows them: one that reaches nothing but this server.

const { env } = await testDatabase();
const { url } = await testServer(env);
const browser = whyNoBrowser ? undefined : await testBrowser();
// One for all: each would bring a window of its own, and the browser's own pages in it.
const context = await browser?.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
// It keeps the window open.
await context?.newPage();

const inBrowser = (name: string, work: () => Promise<void>) => test(name, { skip: whyNoBrowser }, work);

interface Visit {
  page: Page;
  /** Requests to other servers, script errors, and violations of the content security policy. */
  problems: string[];
}

async function visit(path: string): Promise<Visit> {
  assert(context);
  const page = await context.newPage();
  const problems: string[] = [];
  await page.route('**/*', (route) => {
    const target = route.request().url();
    if (target.startsWith(url) || target.startsWith('data:') || target.startsWith('blob:')) return route.continue();
    problems.push(`a request to ${target}`);
    return route.abort();
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  await page.goto(url + path);
  if (path.startsWith('/docs/try')) await page.locator('#about a').waitFor();
  return { page, problems };
}

const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** The least contrast of text with the page behind it. */
const contrast = `(() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const colour = (selector, property) => getComputedStyle(document.querySelector(selector))[property];
  const back = luminance(colour('body', 'backgroundColor'));
  const texts = ['h1', '.site nav a', 'main p', 'main a, main .hint'].map((selector) => luminance(colour(selector, 'color')));
  return Math.min(...texts.map((text) => (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05)));
})()`;

const nameless = `[...document.querySelectorAll('input, select, textarea, button, a[href]')]
  .filter((one) => !(one.labels?.length || one.textContent.trim() || one.getAttribute('aria-label')))
  .map((one) => one.outerHTML)`;

const ownPages = ['/docs/', '/docs/partners', '/docs/performance', '/docs/decisions/0001-group-commit', '/docs/try'];

for (const path of ownPages) {
  inBrowser(
    `${path} can be read by everybody: light and dark, on a desk and on a phone, with names for all that can be used`,
    async () => {
      const { page, problems } = await visit(path);
      assert.equal(await page.locator('h1').count(), 1);
      assert.deepEqual(await page.evaluate(nameless), []);
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 1280],
        ['dark', 360],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.ok(Number(await page.evaluate(contrast)) >= 4.5, `${colorScheme}: the text has contrast`);
        assert.equal(await page.evaluate(overhang), 0, `${width}: it is not wider than the window`);
      }
      assert.deepEqual(problems, []);
      await page.close();
    },
  );
}

inBrowser('no table of the commands and of the installation on Kubernetes is wider than a desktop page', async () => {
  for (const path of ['/docs/reference/commands', '/docs/operate/kubernetes']) {
    const { page } = await visit(path);
    await page.setViewportSize({ width: 1280, height: 800 });
    const widest =
      "Math.max(...[...document.querySelectorAll('.wide')].map((one) => one.scrollWidth - one.clientWidth))";
    assert.equal(await page.evaluate(widest), 0, path);
    await page.close();
  }
});

const referenceTo = ({ path, tag }: { path: string; tag: string }) =>
  `tag/${tag.toLowerCase().replaceAll(' ', '-')}/POST${path}`;

inBrowser(
  'the reference shows the operations where the guides link to them, and no place to put a secret',
  async () => {
    const { page, problems } = await visit('/docs/reference');
    for (const operation of [operations.Issue, operations.GameList, operations.RoundsBet]) {
      await page.evaluate(`location.hash = '${referenceTo(operation)}'`);
      const section = page.locator(`[id$="${referenceTo(operation)}"]`).first();
      await section.getByRole('heading', { name: operation.summary }).waitFor();
      await section.getByText('openssl dgst -sha256 -hmac').first().waitFor();
      await section.getByRole('link', { name: 'Sign and send this request from the browser' }).waitFor();
    }
    assert.equal(await page.getByText('YOUR_SECRET', { exact: false }).count(), 0);
    assert.equal(await page.locator('input[type=password]').count(), 0);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await page.evaluate(overhang), 0);
    assert.deepEqual(problems, []);
    await page.close();
  },
);

inBrowser(
  'a page has navigation, its own contents and copy buttons, and a phone shows the navigation on demand',
  async () => {
    const { page, problems } = await visit('/docs/performance');
    const pages = page.getByRole('navigation', { name: 'Documentation' });
    assert.equal(await pages.locator('[aria-current=page]').getAttribute('href'), 'performance');
    const [contents, headings] = [page.locator('.contents a'), page.locator('article h2, article h3')];
    assert.equal(await contents.count(), await headings.count());
    await contents.last().click();
    assert.equal(new URL(page.url()).hash, await contents.last().getAttribute('href'));
    assert.equal(
      await page.locator('pre').count(),
      await page.getByRole('button', { name: 'Copy this block' }).count(),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    await page.reload();
    assert.equal(await pages.getByRole('link').count(), 0);
    await pages.getByText('All pages').click();
    await pages.getByRole('link', { name: 'Decisions' }).click();
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  },
);

inBrowser(
  'the search finds titles before text, opens a result with the keyboard, and loads its index once',
  async () => {
    const { page, problems } = await visit('/docs/decisions/0001-group-commit');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.keyboard.press('/');
    const search = page.getByRole('combobox', { name: 'Search the documentation' });
    assert.ok(await search.evaluate('document.activeElement.id === "search"'));
    await page.keyboard.type('performance');
    const options = page.getByRole('option');
    await options.first().waitFor();
    assert.match((await options.first().textContent()) ?? '', /^UnderstandPerformance/);
    assert.equal(await options.first().getAttribute('aria-selected'), 'true');
    await page.keyboard.press('ArrowDown');
    assert.equal(await search.getAttribute('aria-activedescendant'), 'found-1');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/performance$/);
    assert.deepEqual(
      loaded.filter((path) => path.endsWith('search.json')),
      ['/docs/search.json'],
    );
    assert.deepEqual(problems, []);
    await page.close();
  },
);

inBrowser('the search states when nothing is found, and Escape closes it', async () => {
  const { page, problems } = await visit('/docs/');
  const search = page.getByRole('combobox', { name: 'Search the documentation' });
  await search.fill('signature xyzzy');
  await page.getByText('No page contains all of these words.').waitFor();
  assert.equal(await search.getAttribute('aria-expanded'), 'true');
  await search.fill('<b> signatures');
  await page.getByRole('option').first().waitFor();
  assert.match((await page.getByRole('status').textContent()) ?? '', /^\d+ results?$/);
  assert.ok((await page.locator('.excerpt mark').count()) > 0);
  await search.press('Escape');
  assert.equal(await search.getAttribute('aria-expanded'), 'false');
  assert.equal(await page.getByRole('option').count(), 0);
  assert.deepEqual(problems, []);
  await page.close();
});

inBrowser('the page signs and sends a call, shows its answer, and keeps the secret to itself', async () => {
  const { page, problems } = await visit('/docs/try#Issue');
  const sent: { url: string; body: string; headers: Record<string, string> }[] = [];
  page.on('request', async (request) => {
    if (!request.url().includes('/docs/files/'))
      sent.push({ url: request.url(), body: request.postData() ?? '', headers: await request.allHeaders() });
  });
  assert.equal(await page.getByLabel('Operation').inputValue(), 'Issue');
  await page.getByLabel('Example').selectOption('Direct');
  await page.getByLabel('Secret of the partner').fill(demo.secret);
  const body = await page.getByLabel('Body').inputValue();
  const header = `X-REQUEST-SIGN: ${sign(body, demo.secret)}`;
  await page.getByText(header, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText(/^HTTP 200 in \d+ ms/).waitFor();
  const answer = JSON.parse((await page.locator('#answer').textContent()) ?? '');
  assert.equal(answer.issue_id, JSON.parse(body).issue_id);
  assert.equal(answer.status, 'active');
  assert.deepEqual(
    sent.map((request) => request.url),
    [`${url}${basePath}/FreeBets/Issue`],
  );
  assert.equal(sent[0]?.body, body);
  const curl = (await page.locator('#curl').textContent()) ?? '';
  assert.ok(curl.includes(header) && curl.includes(body) && !curl.includes(demo.secret));
  assert.ok(!JSON.stringify(sent).includes(demo.secret));
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
  );
  assert.ok(!String(stored).includes(demo.secret));
  assert.deepEqual(problems, []);
  await page.reload();
  assert.equal(await page.getByLabel('Secret of the partner').inputValue(), '');
  await page.close();
});

inBrowser('the page signs the time and the path too where it is asked to', async () => {
  const { page, problems } = await visit('/docs/try#CampaignList');
  const requests: Record<string, string>[] = [];
  page.on('request', async (request) => {
    if (request.method() === 'POST') requests.push(await request.allHeaders());
  });
  await page.getByLabel('Secret of the partner').fill(demo.secret);
  await page.getByLabel('Sign the time and the path too').check();
  await page.locator('#header', { hasText: 'X-REQUEST-TIME' }).waitFor();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText(/^HTTP 200 in \d+ ms/).waitFor();
  const [headers] = requests;
  const time = headers?.['x-request-time'] ?? '';
  const body = await page.getByLabel('Body').inputValue();
  const content = `${time}\n${basePath}/FreeBets/Campaign/List\n${body}`;
  assert.equal(headers?.['x-request-sign'], sign(content, demo.secret));
  const shown = ((await page.locator('#header').textContent()) ?? '').split('\n');
  assert.match(shown.join(' '), /^X-REQUEST-TIME: \d{10} X-REQUEST-SIGN: [0-9a-f]{64}$/);
  const curl = (await page.locator('#curl').textContent()) ?? '';
  for (const line of shown) assert.ok(curl.includes(`-H '${line}'`), curl);
  assert.deepEqual(problems, []);
  await page.close();
});

inBrowser('the body in the page is signed as written, in any script, and a refusal is shown unchanged', async () => {
  const { page } = await visit('/docs/try#CampaignCreate');
  await page.getByLabel('Secret of the partner').fill('ключ-ß-🔑');
  const body = '{"client_id":1,\n  "name":"it\'s Ünïcode ☀ 🎲"}';
  await page.getByLabel('Body').fill(body);
  await page.getByText(sign(body, 'ключ-ß-🔑')).first().waitFor();
  assert.ok((await page.locator('#curl').textContent())?.includes("it'\\''s"));
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText(/^HTTP 403/).waitFor();
  assert.match((await page.locator('#answer').textContent()) ?? '', /"error": "forbidden"/);
  await page.getByLabel('Operation').selectOption('RoundsAvailable');
  assert.equal(await page.getByLabel('Secret of the game provider').count(), 1);
  await page.getByLabel('Operation').selectOption('CampaignCreate');
  assert.equal(await page.getByLabel('Body').inputValue(), body);
  await page.close();
});

inBrowser('where the browser does not let a page sign, it says so', async () => {
  assert(context);
  const page = await context.newPage();
  await page.route('http://freebets.test/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: url + pathname }) });
  });
  await page.goto('http://freebets.test/docs/try');
  await page.getByText('Browsers let a page sign only when it comes over https or from this machine').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Sign and send' }).isDisabled());
  // A picture may still be on its way.
  await page.unrouteAll({ behavior: 'wait' });
  await page.close();
});
