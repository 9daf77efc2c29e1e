import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { atProcessEnd } from './process-end.ts';

// A real browser for pages. If none is installed, test/run.ts installs one before the tests start. If that fails, the
// tests that need one are skipped.

/** The headless shell needs a quarter less processor time. */
const usual = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const found = (): string | undefined =>
  [process.env.CHROMIUM, ...usual, chromium.executablePath()].find((path) => path && existsSync(path));

const howToPoint = 'to use one that is there, set CHROMIUM=/path/to/it';

async function succeeds(file: string, args: string[]): Promise<boolean> {
  const child = spawn(file, args, { stdio: 'ignore' });
  const [code] = await once(child, 'exit').catch(() => [1]);
  return code === 0;
}

/** The setting with the path of the browser for the test files, or none. Prints what it installs and what failed. */
export async function findOrInstallChromium(): Promise<{ CHROMIUM?: string }> {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (found() === undefined && mayInstall) {
    console.log(`Installing Chromium for the browser tests (apt-get install chromium-headless-shell); ${howToPoint}.`);
    const install = (name: string) => succeeds('apt-get', ['install', '-y', '--no-install-recommends', name]);
    await succeeds('apt-get', ['update']);
    if (!(await install('chromium-headless-shell')) && !(await install('chromium')))
      console.log('Chromium could not be installed.');
  }
  const path = found();
  return path === undefined ? {} : { CHROMIUM: path };
}

/** The reason why browser tests can't run here; false if they can. */
export const whyNoBrowser: string | false =
  found() === undefined && `there is no Chromium, and it is installed by root on Debian only; ${howToPoint}`;

export function launchBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-gpu',
    // No page stays open long enough for optimized compilation to pay off.
    '--js-flags=--no-maglev --no-turbofan',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ];
  return chromium.launch({ executablePath: found() as string, args });
}

let shared: Promise<Browser> | undefined;

/**
 * All files of a process share one browser, because a start takes a second. The contexts of a file are closed when it
 * ends.
 */
export async function testBrowser(): Promise<Browser> {
  shared ??= launchForProcess();
  const browser = shared;
  // Before the first await: work started after another file's promise would belong to that file. So the promise
  // itself is not exported.
  after(async () => {
    for (const context of (await browser).contexts()) await context.close();
  });
  return await browser;
}

async function launchForProcess(): Promise<Browser> {
  const browser = await launchBrowser();
  atProcessEnd(async () => {
    const left = browser.contexts().length;
    await browser.close();
    assert.equal(left, 0, 'what a file has opened in the browser is closed when it ends');
  });
  return browser;
}
