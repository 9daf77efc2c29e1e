import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@freebets/embedded-postgres';
import type { Bench } from './bench.ts';
import { runAutocannon, runWrk } from './load.ts';
import { manyMachines } from './parts/citus.ts';
import { batchAgainstCopy } from './parts/copy.ts';
import { fair } from './parts/fair.ts';
import { gameList } from './parts/games.ts';
import { grown } from './parts/grown.ts';
import { idle } from './parts/idle.ts';
import { hotCampaign, oneConnection } from './parts/issue.ts';
import { jobs } from './parts/jobs.ts';
import { memory } from './parts/memory.ts';
import { overload } from './parts/overload.ts';
import { partners } from './parts/partners.ts';
import { processes } from './parts/processes.ts';
import { reports } from './parts/reports.ts';
import { roundsAgainstIssue } from './parts/rounds.ts';
import { severalServers } from './parts/servers.ts';
import { spread } from './parts/spread.ts';
import { issueWithWebhook } from './parts/webhooks.ts';
import { databasesOf, goalsLine, machineFacts, table } from './report.ts';
import { writeResults } from './results-files.ts';
import { databaseUrl, endAll, versionOf } from './server.ts';
import { findTools } from './tools.ts';

// Compares the service with the usual alternatives and with the limit of the machine: in one run, in turns, on an
// embedded PostgreSQL with durable commits. The figures depend on the machine, so look at the ratios. "npm run bench
// -- issue rounds" runs only these parts; "--own-tools" uses neither wrk nor pgbench.

const parts: Record<string, (bench: Bench) => Promise<void>> = {
  issue: hotCampaign,
  spread,
  partners,
  rounds: roundsAgainstIssue,
  batch: batchAgainstCopy,
  games: gameList,
  latency: oneConnection,
  grown,
  servers: severalServers,
  overload,
  fair,
  memory,
  webhooks: issueWithWebhook,
  jobs,
  reports,
  idle,
  processes,
  citus: manyMachines,
};

const wanted = process.argv.slice(2).filter((argument) => argument !== '--own-tools');
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}
const chosen = Object.entries(parts).filter(([name]) => wanted.length === 0 || wanted.includes(name));

const began = performance.now();
const elapsedS = () => (performance.now() - began) / 1000;
const tools = findTools(!process.argv.includes('--own-tools'));
const dataDir = mkdtempSync(join(tmpdir(), 'freebets-bench-'));
const cluster = await openEmbedded({ dataDir, use: 'command' });
const socketDir = cluster.connection.host;
const cleanUp = async () => {
  await endAll();
  await cluster.release();
  rmSync(dataDir, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => cleanUp().finally(() => process.exit(1)));
try {
  const own = await versionOf(databaseUrl(socketDir, 'postgres'));
  const cluster = process.env.CITUS_URL && (await versionOf(process.env.CITUS_URL));
  const names = chosen.map(([name]) => name);
  const machine = machineFacts(tools, databasesOf(names, own, cluster));
  console.log(Object.values(machine).join(' · '));
  const bench: Bench = { socketDir, tools, runLoad: tools.wrk ? runWrk : runAutocannon, findings: [] };
  for (const [i, [name, run]] of chosen.entries()) {
    console.log(`\n${name} (${i + 1} of ${chosen.length}, after ${elapsedS().toFixed(0)} s)`);
    await run(bench);
  }
  console.log(`\n${table(bench.findings)}\n`);
  console.log(`${goalsLine(bench.findings)}, after ${elapsedS().toFixed(0)} s.`);
  writeResults(machine, bench.findings, elapsedS());
  console.log('Written to bench/results/: results.json, results.svg');
} finally {
  await cleanUp();
}
