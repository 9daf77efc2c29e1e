import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { atProcessEnd } from './process-end.ts';

// A real browser for pages. One that is there is used. Otherwise test/run.ts installs one before the tests start, where it
// may; where it may not, the tests that need one are skipped.

/** The one without windows needs a quarter less of the processor. */
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

/** The setting that tells the test files where it is, or none. Says what it installs, and what it could not. */
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

/** Why the tests that need a browser cannot run here; false where they can. */
export const whyNoBrowser: string | false =
  found() === undefined && `there is no Chromium, and it is installed by root on Debian only; ${howToPoint}`;

export function launchBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-gpu',
    // No page stays for long enough that compiling its code well would pay.
    '--js-flags=--no-maglev --no-turbofan',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ];
  return chromium.launch({ executablePath: found() as string, args });
}

let shared: Promise<Browser> | undefined;

/** One for all files of a process, since it takes a second to start; what a file opens in it is closed when the file ends. */
export async function testBrowser(): Promise<Browser> {
  shared ??= launchForProcess();
  const browser = shared;
  // Before anything is waited for: what is asked for behind a promise of another file belongs to that file. So this one is not handed out.
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
