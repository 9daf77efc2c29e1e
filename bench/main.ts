import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../packages/server/src/embedded/open-embedded.ts';
import { issueHotCampaign } from './issue.ts';
import { roundsAgainstIssue } from './rounds.ts';
import { issueWithWebhooks } from './webhooks.ts';

// Measures the service side by side with what one would do instead, in one run, on an embedded PostgreSQL with durable
// commits. The machine decides the figures; the ratios are what to look at. "npm run bench -- issue" runs one part.

const parts: Record<string, (socketDir: string) => Promise<void>> = {
  issue: issueHotCampaign,
  rounds: roundsAgainstIssue,
  webhooks: issueWithWebhooks,
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-bench-'));
const cluster = await openEmbedded({ dataDir, use: 'command' });
try {
  const [cpu] = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  console.log(`${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${memoryGiB} GiB, Node ${process.version}\n`);
  for (const [name, run] of Object.entries(parts)) {
    if (wanted.length === 0 || wanted.includes(name)) await run(cluster.connection.host);
  }
} finally {
  await cluster.release();
  rmSync(dataDir, { recursive: true, force: true });
}
