import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../packages/server/src/embedded/open-embedded.ts';
import { issueHotCampaign } from './issue.ts';

// Measures the service side by side with what one would do instead, in one run, on an embedded PostgreSQL with durable
// commits. The machine decides the figures; the ratios are what to look at.

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-bench-'));
const cluster = await openEmbedded({ dataDir, use: 'command' });
try {
  const [cpu] = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  console.log(`${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${memoryGiB} GiB, Node ${process.version}\n`);
  await issueHotCampaign(cluster.connection.host);
} finally {
  await cluster.release();
  rmSync(dataDir, { recursive: true, force: true });
}
