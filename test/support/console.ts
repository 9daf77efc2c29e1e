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

// The console in a real browser, that reaches nothing but the server of the test. Whatever goes wrong in a page fails the test in
// which it does: errors, requests to elsewhere, and calls that the server refused, but for those that the test says it provokes.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What went wrong since the test began, in any page of the file. */
const seen = { problems: [] as string[], refusals: [] as string[], elsewhere: undefined as string | undefined };

interface Provoked {
  /** Refusals that belong to the test, such as "404 /Partner/Get", or "401 *" for any of that status; each must happen. */
  refusals?: string[];
  /** An origin that pages go to. */
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
    // A page that asks for several things may show its error before all are answered.
    for (const each of provoked) await until(`refused: ${each}`, 5000, () => refused().has(each));
    assert.deepEqual(seen.problems, []);
    assert.deepEqual([...refused()].toSorted(), provoked.toSorted(), 'what the server refused');
  });

export interface Desk {
  page: Page;
  context: BrowserContext;
  /** Null where nobody is signed in. */
  who: Staff | null;
  /** Goes to an address below the console: from a screen as a link does, else by loading the page. */
  open(path: string): Promise<void>;
  /** Runs axe in light and in dark, with --long only: the checks take a third of the processor time of the browser tests. */
  assertScreenAccessible(where: string): Promise<void>;
  /** The same for a state that a test has brought a screen to, in one colour scheme. */
  assertAccessible(): Promise<void>;
}

/** Opens desks: each a browser of its own for somebody of the staff who is signed in. */
export async function consoleOf(url: string, sql: Pool) {
  const desks = new Map<string, Promise<Desk>>();
  after(() => desks.clear());
  const browser = whyNoBrowser ? undefined : await testBrowser();
  const sitDown = async (role: Role | null, partners: number[] | null): Promise<Desk> => {
    assert(browser);
    return deskFor(browser, url, role && (await signedIn(sql, role, partners)));
  };
  return {
    /** Everybody keeps their desk from one test to the next; `name` tells people of one role apart. Without a role nobody is signed in. */
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
    // Nothing is waited for that only moves.
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

/** The browser reports every answer of 400 and more as an error. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource');

/** Such as "/p/:id/campaigns/:id": a screen that stays shows another thing under the same heading. */
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

/** As a link does it, a screen costs a third of what it costs to load the page. */
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
  // A screen that was being left, and is wanted again, stays.
  await page
    .locator('h1:not([data-left])')
    .waitFor({ timeout: 10_000 })
    .catch(() => load(page, address));
}

type Scheme = 'light' | 'dark';

/**
 * All rules in the colours that are shown, and in the others what is different there. Where these are not asked for they are shown to what
 * comes next, so that half of all is seen in light and half in dark.
 */
async function assertAccessible(page: Page, where: string, inBoth: boolean): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  // What is about to be replaced is faded.
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
      // What lies behind a dialog is not there for whoever is in it.
      const { violations } = await axe.run(document.querySelector('[role=dialog]') ?? document, options);
      return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
      );
    },
    { resultTypes: ['violations'], preload: false, ...rules },
  );
