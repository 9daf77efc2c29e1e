import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, type TestContext, test } from 'node:test';
import type { Role } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { testBrowser, whyNoBrowser } from './browser.ts';
import { isLong } from './long.ts';
import { type Staff, signedIn } from './staff.ts';
import { until } from './waiting.ts';

// The console in a real browser that reaches only the server of the test. Every problem in a page fails the test:
// errors, requests to other hosts, and refused calls that the test does not expect.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The problems in any page of the file since the test began. */
const seen = { problems: [] as string[], refusals: [] as string[], elsewhere: undefined as string | undefined };

interface Provoked {
  /**
   * Refusals that the test expects, such as "404 /Partner/Get", or "401 *" for any with that status. Each must occur.
   */
  refusals?: string[];
  /** An origin that pages may call. */
  elsewhere?: string;
}

export const inBrowser = (
  name: string,
  work: (t: TestContext) => Promise<void>,
  { refusals: provoked = [], elsewhere }: Provoked = {},
) =>
  test(name, { skip: whyNoBrowser }, async (t) => {
    Object.assign(seen, { problems: [], refusals: [], elsewhere });
    await work(t);
    const kindOf = (refusal: string) => provoked.find((each) => each === `${refusal.slice(0, 3)} *`) ?? refusal;
    const refused = () => new Set(seen.refusals.map(kindOf));
    // A page with several requests may show an error before all responses have arrived.
    for (const each of provoked) await until(`refused: ${each}`, 5000, () => refused().has(each));
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...refused()].toSorted(), provoked.toSorted(), 'what the server refused');
  });

export interface Desk {
  page: Page;
  context: BrowserContext;
  /** Null if no user is signed in. */
  who: Staff | null;
  /** Goes to an address of the console: like a link if a screen is open, else by loading the page. */
  open(path: string): Promise<void>;
  /**
   * Runs axe in light and dark, with --long only: the checks take a third of the processor time of the browser tests.
   */
  assertScreenAccessible(where: string): Promise<void>;
  /** The same for the current state of a screen, in one colour scheme. */
  assertAccessible(): Promise<void>;
}

/** Opens desks: each is a separate browser context with a signed-in staff member. */
export async function consoleOf(url: string, sql: Pool) {
  const desks = new Map<string, Promise<Desk>>();
  after(() => desks.clear());
  const browser = whyNoBrowser ? undefined : await testBrowser();
  const sitDown = async (role: Role | null, partners: number[] | null): Promise<Desk> => {
    assert(browser);
    return deskFor(browser, url, role && (await signedIn(sql, role, partners)));
  };
  return {
    /**
     * Desks are reused from test to test; `name` distinguishes people with the same role. Without a role, no user is
     * signed in.
     */
    deskOf(role: Role | null, partners: number[] | null = null, name = ''): Promise<Desk> {
      if (role === null) return sitDown(null, null);
      const key = JSON.stringify([role, partners, name]);
      const desk = desks.get(key) ?? sitDown(role, partners);
      desks.set(key, desk);
      return desk;
    },
  };
}

async function deskFor(browser: Browser, url: string, who: Staff | null): Promise<Desk> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    baseURL: url,
    // Animations are off.
    reducedMotion: 'reduce',
  });
  if (who !== null) {
    const [name = '', value = ''] = who.cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  }
  const page = await context.newPage();
  watch(page, url);
  return {
    page,
    context,
    who,
    open: (path) => openScreen(page, path),
    assertScreenAccessible: async (where) => {
      if (isLong) await assertAccessible(page, where, true);
    },
    assertAccessible: async () => {
      if (isLong) await assertAccessible(page, page.url(), false);
    },
  };
}

function watch(page: Page, url: string): void {
  page.on('request', (request) => {
    const target = request.url();
    const isKnown = [url, seen.elsewhere].some((origin) => origin !== undefined && target.startsWith(origin));
    if (!isKnown && !/^(data|blob):/.test(target)) seen.problems.push(`a request to ${target}`);
  });
  page.on('response', (answer) => {
    const [, path] = /\/console\/api(\/[^?]*)/.exec(answer.url()) ?? [];
    if (answer.status() >= 400) seen.refusals.push(`${answer.status()} ${path ?? answer.url()}`);
  });
  page.on('pageerror', (error) => seen.problems.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error' && !isRefusal(line.text())) seen.problems.push(line.text());
  });
}

/** The browser reports every response with status 400 or above as an error. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource');

/** Such as "/p/:id/campaigns/:id": the screen stays and shows another item under the same heading. */
const screenOf = (url: string): string | undefined => {
  const [, path] = /\/console(\/[^?#]*)/.exec(url) ?? [];
  return path?.replaceAll(
    /(?<=\/(p|campaigns|drafts|players|lists|events|partners|providers|staff|audit)\/)[^/]+/g,
    ':id',
  );
};

async function load(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Following a link costs a third of loading the page. */
async function openScreen(page: Page, path: string): Promise<void> {
  const address = `/console${path}`;
  const here = screenOf(page.url());
  if (here === undefined || here === screenOf(address) || here === '/sign-in') return load(page, address);
  await page.evaluate((to) => {
    const { document, history } = globalThis as never as {
      document: { querySelector(name: string): { setAttribute(name: string, value: string): void } | null };
      history: { pushState(state: null, title: string, to: string): void };
    };
    document.querySelector('h1')?.setAttribute('data-left', '');
    history.pushState(null, '', to);
  }, address);
  // Waits if the screen is just being left.
  await page
    .locator('h1:not([data-left])')
    .waitFor({ timeout: 10_000 })
    .catch(() => load(page, address));
}

type Scheme = 'light' | 'dark';

/**
 * Runs all rules in the current colours, and the colour rules in the others. Without --long it only switches the
 * colours, so that half of the screens are seen in light and half in dark.
 */
async function assertAccessible(page: Page, where: string, inBoth: boolean): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  // Content that is about to be replaced is faded.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const shown = await page.evaluate<Scheme>('document.documentElement.dataset.mantineColorScheme');
  const other = shown === 'light' ? 'dark' : 'light';
  assert.deepEqual(await violationsIn(page, {}), [], `${shown} ${where}`);
  await page.emulateMedia({ colorScheme: other });
  await page.locator(`html[data-mantine-color-scheme=${other}]`).waitFor({ state: 'attached' });
  if (!inBoth) return;
  assert.deepEqual(await violationsIn(page, { runOnly: ['color-contrast'] }), [], `${other} ${where}`);
}

const violationsIn = (page: Page, rules: object): Promise<string[]> =>
  page.evaluate(
    async (options) => {
      // biome-ignore lint/suspicious/noExplicitAny: axe has put itself there, and the page is a browser's.
      const { axe, document } = globalThis as any;
      // Content behind a dialog is hidden from its users.
      const { violations } = await axe.run(document.querySelector('[role=dialog]') ?? document, options);
      return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
      );
    },
    { resultTypes: ['violations'], preload: false, ...rules },
  );
