import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

// A real browser for pages. One that is installed is used; otherwise one is installed, with apt where that is possible.

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const installed = () =>
  [process.env.CHROMIUM_PATH, ...usual, chromium.executablePath()].find((path) => path && existsSync(path));

function install(): void {
  const isRootOnDebian = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (isRootOnDebian) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  } else {
    execFileSync('npx', ['playwright-core', 'install', 'chromium'], { stdio: 'ignore' });
  }
}

export async function testBrowser(): Promise<Browser> {
  if (installed() === undefined) install();
  const executablePath = installed();
  if (executablePath === undefined) throw new Error('no Chromium found or installed: set CHROMIUM_PATH');
  const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const browser = await chromium.launch({ executablePath, args });
  after(() => browser.close());
  return browser;
}
