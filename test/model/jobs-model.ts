import { createHash } from 'node:crypto';
import { e4, type Fields, iso, isoOrNull, type Job, type Seen } from './model.ts';

// A job as the model has it: the request that created it, and how far it has come. Its items are requests of issue.

export const newJob = (asked: Fields, now: number): Job => ({
  asked,
  createdAt: now,
  parts: 0,
  items: 0,
  issued: 0,
  refused: {},
  startedAt: null,
  finishedAt: null,
});

const refusedOf = ({ refused }: Job): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** The job when one more of its items is carried out. */
export function withItem(job: Job, seen: Seen, now: number): Job {
  const refused = seen.ok ? job.refused : { ...job.refused, [seen.error]: (job.refused[seen.error] ?? 0) + 1 };
  const next = { ...job, issued: job.issued + (seen.ok ? 1 : 0), refused };
  return { ...next, finishedAt: next.issued + refusedOf(next) === job.items ? now : null };
}

const instantOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

function statusOf({ startedAt, finishedAt, asked }: Job, now: number): string {
  if (finishedAt !== null) return 'finished';
  if (startedAt === null) return 'open';
  return now < (instantOf(asked.start_at) ?? startedAt) ? 'scheduled' : 'running';
}

function whatIsIssued(asked: Fields): Fields {
  if (asked.campaign_id !== undefined) return { campaign_id: asked.campaign_id };
  return {
    bet_amount: asked.bet_amount,
    quantity: asked.quantity,
    games: asked.games,
    valid_from: isoOrNull(instantOf(asked.valid_from)),
    valid_until: iso(Date.parse(asked.valid_until)),
    duration_min: asked.duration_min ?? null,
    config: {
      min_coefficient: e4(asked.config?.min_coefficient),
      max_coefficient: e4(asked.config?.max_coefficient),
    },
  };
}

/** As it is answered while none of its items are under way. */
export const jobBody = (job: Job, now: number): Fields => ({
  job_id: job.asked.job_id,
  name: job.asked.name,
  ...whatIsIssued(job.asked),
  status: statusOf(job, now),
  parts: job.parts,
  items: job.items,
  issued: job.issued,
  refused: job.refused,
  remaining: job.items - job.issued - refusedOf(job),
  per_second: null,
  eta: null,
  created_at: iso(job.createdAt),
  start_at: isoOrNull(instantOf(job.asked.start_at)),
  started_at: isoOrNull(job.startedAt),
  finished_at: isoOrNull(job.finishedAt),
  stopped_at: null,
  failure: null,
});

/** The first half of the SHA-256 of the position of an item, with the bits of a UUID of version 8. */
function derivedIssueId(jobId: string, part: number, item: number): string {
  const bytes = createHash('sha256').update(`${jobId}/${part}/${item}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) % 16) + 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) % 64) + 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The requests of issue that stand for the items, in the order in which they are carried out; items count from 0. */
export function itemsAsIssues(
  { job_id, name: _, start_at: __, ...shared }: Fields,
  parts: Fields[][],
): { part: number; item: number; body: Fields }[] {
  return parts.flatMap((items, i) =>
    items.map((given, item) => {
      const issue_id = derivedIssueId(job_id, i + 1, item);
      return { part: i + 1, item, body: { issue_id, ...shared, ...given } };
    }),
  );
}
