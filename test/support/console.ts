import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { Role } from '@freebets/contract';
import type { Pool } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { testBrowser, whyNoBrowser } from './browser.ts';
import { signedIn } from './staff.ts';

// The console in a real browser, that reaches nothing but the server of the test.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const inBrowser = (name: string, work: (t: TestContext) => Promise<void>) =>
  test(name, { skip: whyNoBrowser }, work);

export interface Desk {
  page: Page;
  context: BrowserContext;
  /** Calls that the server refused. */
  refusals: string[];
  /** Goes to an address below the console. */
  open(path: string): Promise<void>;
  /** Fails where somebody with a screen reader would, in light and in dark. */
  assertAccessible(where?: string): Promise<void>;
}

/** Opens desks: each a browser of its own for somebody of the staff who is signed in. */
export async function consoleOf(url: string, sql: Pool) {
  const browser = whyNoBrowser ? undefined : await testBrowser();
  return {
    /** A desk where nobody is signed in has no role. */
    async deskOf(role: Role | null, partners: number[] | null = null): Promise<Desk> {
      assert(browser);
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, baseURL: url });
      if (role !== null) {
        const [name = '', value = ''] = (await signedIn(sql, role, partners)).cookie.split('=');
        await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
      }
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('request', (request) => {
        const target = request.url();
        if (!target.startsWith(url) && !/^(data|blob):/.test(target)) problems.push(`a request to ${target}`);
      });
      const refusals: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) refusals.push(`${answer.status()} ${answer.url()}`);
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (line) => {
        if (line.type() === 'error' && !isRefusal(line.text())) problems.push(line.text());
      });
      return {
        page,
        context,
        refusals,
        async open(path) {
          await page.goto(`/console${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          assert.deepEqual(problems, []);
        },
        async assertAccessible(where = '') {
          await page.evaluate(axe);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await page.waitForTimeout(100);
            // In dark nothing is different but the colours.
            const options = {
              resultTypes: ['violations'],
              preload: false,
              ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
            };
            const found = await page.evaluate(async (options) => {
              // biome-ignore lint/suspicious/noExplicitAny: axe has put itself there.
              const { violations } = await (globalThis as any).axe.run(options);
              return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
                nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
              );
            }, options);
            assert.deepEqual(found, [], `${colorScheme} ${where}`);
          }
          assert.deepEqual(problems, []);
        },
      };
    },
  };
}

/** The browser reports every answer of 400 and more as an error. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource');
