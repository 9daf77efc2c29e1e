import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '@freebets/embedded-postgres';
import type { Browser, Page } from 'playwright-core';
import { loadDemo } from '../../packages/server/src/demo/demo.ts';
import { demoStaffPassword } from '../../packages/server/src/demo/staff.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { migrateDatabase, withDatabase } from '../../packages/server/src/ops/database.ts';
import { openLog } from '../../packages/server/src/ops/log.ts';
import { startServer } from '../../packages/server/src/ops/server.ts';
import { accepted } from '../support/answers.ts';
import { findOrInstallChromium, launchBrowser } from '../support/browser.ts';
import { call } from '../support/caller.ts';
import { createDatabase } from '../support/database.ts';
import { campaign, games } from '../support/requests.ts';
import { until } from '../support/waiting.ts';

// "npm run screenshots" makes the pictures of the console that the documents show, from the demo and a campaign of its own.
// Writes a picture again if the sources of its screen have changed; --all writes all of them.

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/images');
const stampFile = join(folder, 'sources.json');

interface Shot {
  name: string;
  /** The folders of features that it shows. */
  features: string[];
  as: 'manager' | 'second' | 'support' | 'auditor' | 'admin';
  path: string;
  scheme?: 'dark';
  width?: number;
  /** Before the picture is taken. */
  prepare?(page: Page): Promise<void>;
}

interface Story {
  campaignId: string;
  submittedId: string;
  openId: string;
  jobId: string;
  issueId: string;
}

const shotsOf = ({ campaignId, submittedId, openId, jobId, issueId }: Story): Shot[] => [
  { name: 'overview', features: ['overview'], as: 'manager', path: '/?partner=1' },
  { name: 'overview-dark', features: ['overview'], as: 'manager', path: '/?partner=1', scheme: 'dark' },
  { name: 'campaigns', features: ['campaigns'], as: 'manager', path: '/p/1/campaigns' },
  { name: 'new-campaign', features: ['drafts'], as: 'manager', path: `/p/1/drafts/${openId}` },
  { name: 'approval', features: ['drafts', 'campaigns'], as: 'second', path: `/p/1/drafts/${submittedId}` },
  { name: 'campaign', features: ['campaigns'], as: 'manager', path: `/p/1/campaigns/${campaignId}` },
  { name: 'list', features: ['lists'], as: 'manager', path: `/p/1/lists/${jobId}` },
  { name: 'player', features: ['players'], as: 'support', path: '/p/1/players/player-7' },
  { name: 'player-phone', features: ['players'], as: 'support', path: '/p/1/players/player-7', width: 390 },
  { name: 'free-bet', features: ['free-bets'], as: 'support', path: `/p/1/free-bets/${issueId}` },
  { name: 'report', features: ['reports'], as: 'manager', path: '/reports?partner=1' },
  { name: 'audit', features: ['audit'], as: 'auditor', path: '/audit' },
  { name: 'system', features: ['system'], as: 'admin', path: '/system' },
];

/** What a screen is made of: its features, and what all screens share. */
function hashOf({ features }: Shot): string {
  const hash = createHash('sha256');
  const folders = ['ui', 'features/shell', ...features.map((feature) => `features/${feature}`)];
  for (const file of folders.flatMap((each) => globSync(`packages/console/src/${each}/*`, { cwd: root })).toSorted()) {
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** A campaign that was given to a list and is played, and another that waits for a colleague. */
async function tellStory(url: string, browser: Browser): Promise<Story> {
  const created = {
    name: 'Friday flights',
    games: [games.one],
    config: { bonus_limit: 3000, max_coefficient: '5.00' },
  };
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(created)));
  const job = { job_id: crypto.randomUUID(), campaign_id, name: 'Newsletter of Friday' };
  accepted('JobCreate', await call(url, 'JobCreate', job));
  const items = Array.from({ length: 1000 }, (_, index) => ({ player_id: `player-${index}`, currency: 'EUR' }));
  for (const part of [1, 2]) {
    const shifted = items.map((item, index) => ({ ...item, player_id: `player-${(part - 1) * 950 + index}` }));
    accepted('JobAdd', await call(url, 'JobAdd', { job_id: job.job_id, part, items: shifted }));
  }
  accepted('JobStart', await call(url, 'JobStart', { job_id: job.job_id, parts: 2, items: 2000 }));
  const done = async () => accepted('JobGet', await call(url, 'JobGet', { job_id: job.job_id })).status === 'finished';
  await until('the list is given out', 60_000, done);
  const listed = await call(url, 'FreeBetList', { player_id: 'player-7' });
  const [{ issue_id }] = accepted('FreeBetList', listed).free_bets as [{ issue_id: string }];
  for (const [result, coefficient] of [
    ['won', '2.40'],
    ['lost', undefined],
  ]) {
    const round = { issue_id, game_id: games.one, result, ...(coefficient && { coefficient }) };
    accepted('SandboxRound', await call(url, 'SandboxRound', round));
  }
  const { request } = await signedIn(url, browser, 'manager');
  const post: Post = async (path, data) => {
    const answer = await request.post(`${url}/console/api${path}`, { data, headers: { origin: url } });
    if (!answer.ok()) throw new Error(await answer.text());
    return answer.json();
  };
  await until('the simulated rounds are counted', 60_000, async () => {
    const days = { from: new Date(Date.now() - 86_400_000).toISOString(), until: new Date().toISOString() };
    const { rows } = await post('/Report/Get', { client_id: 1, campaign_id, by: ['campaign'], ...days });
    return rows[0]?.settled === 2;
  });
  return { campaignId: campaign_id, jobId: job.job_id, issueId: issue_id, ...(await makeDrafts(post)) };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what its path gives.
type Post = (path: string, data: object) => Promise<any>;

async function makeDrafts(post: Post): Promise<Pick<Story, 'submittedId' | 'openId'>> {
  const content = campaign({
    name: 'Cup final weekend',
    quantity: 5,
    bet_amounts: [{ currency: 'EUR', amount: '2.00' }],
    config: { bonus_limit: 20_000, max_coefficient: '10.00' },
  });
  const save = (content: object) => post('/Draft/Save', { client_id: 1, kind: 'campaign', content });
  const { draft_id: openId } = await save({ ...content, name: 'Midweek spins' });
  const { draft_id: submittedId, revision } = await save(content);
  await post('/Draft/Submit', {
    client_id: 1,
    draft_id: submittedId,
    revision,
    reason: 'For the weekend of the final',
  });
  return { submittedId, openId };
}

async function signedIn(url: string, browser: Browser, name: string, options: object = {}) {
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', timezoneId: 'UTC', ...options });
  const answer = await context.request.post(`${url}/console/api/Session/SignIn`, {
    data: { email: `${name}@demo.example`, password: demoStaffPassword },
    headers: { origin: url },
  });
  if (!answer.ok()) throw new Error(await answer.text());
  return context;
}

/** The browser itself makes WebP of what it has painted. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const encoded = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.85).replace(/^[^,]*,/, '');
  })()`);
  return Buffer.from(encoded, 'base64');
}

async function take(url: string, browser: Browser, { name, as, path, scheme, width, prepare }: Shot): Promise<void> {
  const viewport = { width: width ?? 1280, height: 800 };
  const context = await signedIn(url, browser, as, { viewport, colorScheme: scheme ?? 'light' });
  const page = await context.newPage();
  await page.goto(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await prepare?.(page);
  await page.waitForLoadState('load');
  // Charts are drawn after their data has arrived.
  await page.waitForTimeout(2500);
  // Pictures of games load late on a busy machine.
  await page.waitForFunction(`[...document.images].every(
    (image) => image.complete || image.getBoundingClientRect().top > innerHeight)`);
  const picture = await asWebp(page, await page.screenshot());
  writeFileSync(join(folder, `${name}.webp`), picture);
  console.log(`docs/images/${name}.webp, ${Math.round(picture.length / 1000)} kB`);
  await context.close();
}

async function main(dataDir: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  Object.assign(process.env, await findOrInstallChromium());
  const known = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
  const cluster = await openEmbedded({ dataDir, use: 'command' });
  const config = readConfig({ ...(await createDatabase(cluster.connection.host, 'screens')), STAFF_MFA: 'off' });
  await migrateDatabase(config);
  await withDatabase(config, ({ pool, masterKey }) => loadDemo(pool, masterKey, { history: true }));
  const server = await startServer(config, openLog('silent'));
  const browser = await launchBrowser();
  try {
    const shots = shotsOf(await tellStory(server.url, browser));
    const changed = shots.filter((shot) => known[shot.name] !== hashOf(shot) || process.argv.includes('--all'));
    for (const shot of changed) await take(server.url, browser, shot);
    const stamps = Object.fromEntries(shots.map((shot) => [shot.name, hashOf(shot)]));
    writeFileSync(stampFile, `${JSON.stringify(stamps, null, 2)}\n`);
    console.log(`${changed.length} of ${shots.length} pictures written.`);
  } finally {
    await browser.close();
    await server.stop();
    await cluster.release();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-screens-'));
try {
  await main(join(dataDir, 'data'));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
