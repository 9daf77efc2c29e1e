import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, describe, find, rateLine, rounds, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import { median } from '../report.ts';
import { type BenchServer, startOnNew } from '../server.ts';

/** The items of the job that is measured alone. Fewer items show the rate too, if time is short. */
const items = 1_000_000;
const partSize = 5000;
const connections = 64;
const batchSize = 1000;
const batchesInFlight = 4;

/** The rate of Issue/Batch, with enough concurrent batches that the lane is never empty. */
async function batchRate(server: BenchServer, batches: number): Promise<number> {
  let left = batches;
  const began = performance.now();
  const work = async () => {
    while (left-- > 0) {
      await server.call('IssueBatch', server.demo, { items: Array.from({ length: batchSize }, () => issueItem()) });
    }
  };
  await Promise.all(Array.from({ length: batchesInFlight }, work));
  return (batches * batchSize * 1000) / (performance.now() - began);
}

const itemsOfPart = () =>
  Array.from({ length: partSize }, () => ({ player_id: issueItem().player_id, currency: 'EUR' }));

/** Creates and starts a job. Returns its id and the time of an Add. */
async function startJob(server: BenchServer, count: number): Promise<{ job_id: string; addMs: number }> {
  const job_id = crypto.randomUUID();
  await server.call('JobCreate', server.demo, { job_id, name: 'A job', campaign_id: 'hot' });
  const times: number[] = [];
  for (let part = 1; part <= count / partSize; part++) {
    const body = { job_id, part, items: itemsOfPart() };
    const began = performance.now();
    await server.call('JobAdd', server.demo, body);
    times.push(performance.now() - began);
  }
  await server.call('JobStart', server.demo, { job_id, parts: count / partSize, items: count });
  return { job_id, addMs: median(times) };
}

/** Measures from the first step to the last, and the memory of the server meanwhile. */
async function jobRate(server: BenchServer, count: number): Promise<{ perSecond: number; memoryMb: number[] }> {
  const { job_id, addMs } = await startJob(server, count);
  say(`an Add of ${partSize} items takes ${addMs.toFixed(1)} ms`);
  const memoryMb: number[] = [];
  for (;;) {
    await delay(500);
    const job = await server.call('JobGet', server.demo, { job_id });
    memoryMb.push(server.memoryMb());
    if (job.finished_at === null) continue;
    if (job.issued !== count) throw new Error(`${job.issued} of ${count} were issued`);
    const ms = Date.parse(job.finished_at) - Date.parse(job.started_at as string);
    return { perSecond: (count * 1000) / ms, memoryMb };
  }
}

/** A job against Issue/Batch, the memory of the server, and the effect on single issues. */
export async function jobs(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'jobs');
  try {
    await createCampaign(server);
    await batchRate(server, 20);
    const batch = await batchRate(server, 50);
    say(rateLine('Issue/Batch', batch));
    const job = await jobRate(server, items);
    say(rateLine(`a job of ${items.toLocaleString('en')}`, job.perSecond));
    const what = `A job of ${items.toLocaleString('en')} issues`;
    find(bench, {
      part: 'jobs',
      what,
      unit: '/s',
      value: job.perSecond,
      against: 'Issue/Batch',
      base: batch,
      least: 0.7,
    });
    const quarter = Math.ceil(job.memoryMb.length / 4);
    const [early, late] = [job.memoryMb.slice(0, quarter), job.memoryMb.slice(-quarter)].map((some) =>
      Math.max(...some),
    );
    find(bench, {
      part: 'jobs',
      what: 'Memory in the last quarter of a job',
      unit: 'MB',
      value: late as number,
      against: 'in the first',
      base: early as number,
      most: 1.3,
    });
    await measureWithJob(bench, server);
  } finally {
    await server.stop();
  }
}

/** Single issues with and without a running job, in turns. */
async function measureWithJob(bench: Bench, server: BenchServer): Promise<void> {
  const load = { port: server.port, operation: 'Issue' as const, connections, seconds };
  const run = async (name: string) => {
    const result = await bench.runLoad({ ...load, requests: issueRequests(seconds) });
    describe(name, result);
    return result;
  };
  const [alone, withJob]: Awaited<ReturnType<typeof run>>[][] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    alone?.push(await run('Issue, 64 connections'));
    const { job_id } = await startJob(server, 50_000);
    await delay(500);
    withJob?.push(await run('the same with a job'));
    const after = await server.call('JobGet', server.demo, { job_id });
    if (after.finished_at !== null) throw new Error('the job was over before the requests were');
    say(rateLine('the job at the end of it', after.per_second ?? 0));
    await server.call('JobStop', server.demo, { job_id });
  }
  const of = (some: typeof alone, value: 'perSecond' | 'p99Ms') => median((some ?? []).map((one) => one[value]));
  const against = 'without a job';
  find(bench, {
    part: 'jobs',
    what: 'Issue while a job runs, 64 connections',
    unit: '/s',
    value: of(withJob, 'perSecond'),
    against,
    base: of(alone, 'perSecond'),
    least: 0.6,
  });
  find(bench, {
    part: 'jobs',
    what: 'Issue while a job runs, p99',
    unit: 'ms',
    value: of(withJob, 'p99Ms'),
    against,
    base: of(alone, 'p99Ms'),
    most: 2,
  });
}
