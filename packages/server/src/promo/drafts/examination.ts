import assert from 'node:assert/strict';
import type { Refusal } from '@freebets/contract';
import type { Pool, PoolClient } from 'pg';
import type { ChangeContext } from '../../audit/change.ts';
import type { Access } from '../../engine/access.ts';
import { LostRace } from '../../engine/faults.ts';
import { ask } from '../../engine/statement.ts';
import { inOneTrip, inSnapshot } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { CommandOf } from '../batch/command.ts';
import { decide } from '../batch/decide.ts';
import { type Loaded, loadOf } from '../batch/load.ts';
import type { WorkingSet } from '../batch/working-set.ts';
import { maxExposureOf, raisedExposureOf } from '../campaigns/campaign.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { addItems, exposureOfSums, type ItemSums } from '../jobs/exposure.ts';
import type { Job } from '../jobs/job.ts';
import type { Exposure } from './approval.ts';
import type { Draft } from './draft.ts';
import { findPartAfter, getDraft } from './sql/drafts.ts';

// Finds out what a draft would do: loads the rows that its command needs and runs the command's rule on them.

export type DraftCommand = CommandOf<'create_campaign' | 'change_limits' | 'start_job'>;

export type Content = Pick<Draft, 'clientId' | 'draftId' | 'kind' | 'content'>;

/** The command of the content, if the content is complete and valid. */
export interface ReadContent {
  /** Null if the content has no valid title. */
  title: string | null;
  command: Outcome<DraftCommand>;
}

export interface DraftContext extends ChangeContext {
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  read(content: Content): ReadContent;
  /** Queues the read with other slow reads. */
  slowRead<T>(read: (pool: Pool) => Promise<T>): Promise<T>;
}

/** Stored together with the content of a draft, except the problems. */
export type Examined = Pick<Draft, 'title' | 'targetId' | 'exposure' | 'stakeReturned'> & {
  /** Why the draft can't be carried out now. */
  problems: Refusal[];
};

/**
 * The exposure of a job's items. Ten million items take a while, so they are summed without a lock. Parts are only
 * added, never replaced, so a job with the same number of parts and items still has the same exposure.
 */
export interface Measured {
  jobId: string;
  exposure: Exposure;
  parts: number;
  items: number;
}

/** `known` is the exposure of a job when its draft was submitted; items added since then show as a problem. */
export async function examine(context: DraftContext, content: Content, known?: Exposure): Promise<Examined> {
  const { title, command } = context.read(content);
  if (!command.ok) {
    const { ok: _, ...refusal } = command;
    return { title, targetId: null, exposure: null, stakeReturned: null, problems: [refusal] };
  }
  const examineIn = (pool: Pool) =>
    inSnapshot(pool, async (connection) => {
      const loaded = await load(connection, context, content.clientId, command.value, 'read');
      const { outcome, targetEndsAt: _ends, ...judged } = await judge(connection, loaded, command.value, () => known);
      if (outcome.ok) return { ...judged, problems: [] };
      const { ok: _, ...refusal } = outcome;
      return { ...judged, problems: [refusal] };
    });
  const isLong = command.value.kind === 'start_job' && known === undefined;
  return isLong ? context.slowRead(examineIn) : examineIn(context.pool);
}

export interface Judged extends Omit<Examined, 'problems'>, Pick<Draft, 'targetEndsAt'> {
  /** The outcome of the rule; nothing is written. */
  outcome: Outcome;
}

/** Runs before the draft is locked. Undefined if there is nothing to sum. */
export async function measure(
  context: DraftContext,
  { clientId, draftId }: Pick<Draft, 'clientId' | 'draftId'>,
): Promise<Measured | undefined> {
  const draft = (await ask(context.pool, getDraft(clientId, draftId)))?.draft;
  const command = draft?.kind === 'job' ? context.read(draft).command : undefined;
  if (!command?.ok) return undefined;
  const measureIn = async (connection: PoolClient) => {
    const { working } = await load(connection, context, clientId, command.value, 'read');
    const [job] = working.jobs.values();
    if (job === undefined) return undefined;
    const { jobId, parts, items } = job;
    return { jobId, exposure: await sumOf(connection, clientId, job), parts, items };
  };
  return context.slowRead((pool) => inSnapshot(pool, measureIn));
}

/** With `lock`, the rows stay locked until the transaction ends. */
export async function load(
  connection: PoolClient,
  { definitions, profileOf }: DraftContext,
  clientId: number,
  command: DraftCommand,
  access: Access,
): Promise<Loaded> {
  const { statements, open } = loadOf([{ clientId, partner: profileOf(clientId), commands: [command] }], access);
  const [loaded] = await open(await inOneTrip(connection, statements), connection, definitions);
  assert(loaded, 'each share is loaded');
  return loaded;
}

/** Runs the rule on the loaded rows, so that `loaded` holds the changes that an approval then writes. */
export async function judge(
  connection: PoolClient,
  { share: { clientId }, working, now }: Loaded,
  command: DraftCommand,
  measured: (job: Job) => Exposure | undefined,
): Promise<Judged> {
  return {
    ...titleAndTarget(working, command),
    targetEndsAt: endOf(working, command),
    // Before the rule changes the working set.
    stakeReturned: command.kind === 'create_campaign' ? working.partner.stakeReturned : null,
    exposure: await exposureOf(connection, working, clientId, command, measured),
    outcome: decide(working, command, now),
  };
}

/** Returns the measured exposure if the job hasn't changed; throws a lost race if it has. */
export const revalidate =
  (measured: Measured | undefined) =>
  (job: Job): Exposure | undefined => {
    if (measured === undefined) return undefined;
    const isSame = measured.jobId === job.jobId && measured.parts === job.parts && measured.items === job.items;
    if (!isSame) throw new LostRace();
    return measured.exposure;
  };

function titleAndTarget(working: WorkingSet, command: DraftCommand): Pick<Draft, 'title' | 'targetId'> {
  switch (command.kind) {
    case 'create_campaign':
      return { title: command.terms.name, targetId: command.campaignId };
    case 'change_limits':
      return {
        title: working.campaigns.get(command.campaignId)?.campaign.terms.name ?? null,
        targetId: command.campaignId,
      };
    case 'start_job':
      return { title: working.jobs.get(command.jobId)?.name ?? null, targetId: command.jobId };
  }
}

/**
 * The end of the terms in world time. Null if the campaign or job does not exist or the job uses a campaign's terms.
 */
function endOf({ campaigns, jobs, clock }: WorkingSet, command: DraftCommand): WorldInstant | null {
  const terms =
    command.kind === 'create_campaign'
      ? command.terms
      : command.kind === 'change_limits'
        ? campaigns.get(command.campaignId)?.campaign.terms
        : jobs.get(command.jobId)?.shared?.terms;
  return terms === undefined ? null : Number(terms.validUntil) - (clock?.aheadMs ?? 0);
}

/** Null if the campaign or job does not exist. */
async function exposureOf(
  connection: PoolClient,
  working: WorkingSet,
  clientId: number,
  command: DraftCommand,
  measured: (job: Job) => Exposure | undefined,
): Promise<Exposure | null> {
  if (command.kind === 'create_campaign') {
    const { stakeReturned } = working.partner;
    return maxExposureOf({ ...command, terms: { ...command.terms, stakeReturned } });
  }
  if (command.kind === 'change_limits') {
    const entry = working.campaigns.get(command.campaignId);
    return entry === undefined ? null : raisedExposureOf(entry, command);
  }
  const job = working.jobs.get(command.jobId);
  return job === undefined ? null : (measured(job) ?? sumOf(connection, clientId, job));
}

/**
 * Reads one part at a time, at most 1 MiB each. A job by campaign adds nothing: its campaign's caps bound the winnings.
 */
async function sumOf(connection: PoolClient, clientId: number, { jobId, shared }: Job): Promise<Exposure> {
  if (shared === null) return [];
  const sums: ItemSums = new Map();
  for (let part = 0; ; ) {
    const reading = findPartAfter(clientId, jobId, part);
    const found = (await inOneTrip(connection, [reading])).of(reading);
    if (found === undefined) return exposureOfSums(sums, shared);
    addItems(sums, found.list, shared);
    part = found.part;
  }
}
