import type { Refusal } from '@freebets/contract';
import type { PoolClient } from 'pg';
import { inOneTrip } from '../db/round-trip.ts';
import { inSnapshot } from '../db/transaction.ts';
import type { Exposure } from '../domain/approval.ts';
import { maxExposureOf, raisedExposureOf } from '../domain/campaign.ts';
import type { CommandOf } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import type { Draft } from '../domain/draft.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { PartnerProfile, WorkingSet } from '../domain/working-set.ts';
import { loadOf } from '../lanes/load.ts';
import type { Access } from '../sql/access.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import { readJobExposure } from '../sql/drafts.ts';
import type { ChangeContext } from './change.ts';

// What a draft would do: the rows that its command needs, and the very rule that decides it.

export type DraftCommand = CommandOf<'create_campaign' | 'change_limits' | 'start_job'>;

export type Content = Pick<Draft, 'clientId' | 'draftId' | 'kind' | 'content'>;

/** What the content asks for, if it is complete and valid. */
export interface ReadContent {
  /** As far as the content has one. */
  title: string | null;
  command: Outcome<DraftCommand>;
}

export interface DraftContext extends ChangeContext {
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  read(content: Content): ReadContent;
}

/** What of a draft is kept beside its content. */
export type Examined = Pick<Draft, 'title' | 'targetId' | 'exposure'> & {
  /** Why it could not be carried out now. */
  problems: Refusal[];
};

export async function examine(context: DraftContext, content: Content): Promise<Examined> {
  const { title, command } = context.read(content);
  if (!command.ok) {
    const { ok: _, ...refusal } = command;
    return { title, targetId: null, exposure: null, problems: [refusal] };
  }
  return inSnapshot(context.pool, async (connection) => {
    const { outcome, ...judged } = await judge(connection, context, content.clientId, command.value, 'read');
    if (outcome.ok) return { ...judged, problems: [] };
    const { ok: _, ...refusal } = outcome;
    return { ...judged, problems: [refusal] };
  });
}

export interface Judged extends Omit<Examined, 'problems'> {
  /** What the rule says; nothing is written. */
  outcome: Outcome;
}

/** With `lock` it stays so until the transaction ends. */
export async function judge(
  connection: PoolClient,
  { definitions, profileOf }: DraftContext,
  clientId: number,
  command: DraftCommand,
  access: Access,
): Promise<Judged> {
  const partner = profileOf(clientId);
  const { statements, open } = loadOf({ clientId, partner, commands: [command] }, access);
  const { working, now } = await open(await inOneTrip(connection, statements), connection, definitions);
  return {
    ...named(working, command),
    // Before the rule changes the working set.
    exposure: await exposureOf(connection, working, clientId, command),
    outcome: decide(working, command, now),
  };
}

function named(working: WorkingSet, command: DraftCommand): Pick<Draft, 'title' | 'targetId'> {
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

/** Null where the campaign or the job is not there. */
async function exposureOf(
  connection: PoolClient,
  working: WorkingSet,
  clientId: number,
  command: DraftCommand,
): Promise<Exposure | null> {
  const { stakeReturned } = working.partner;
  if (command.kind === 'create_campaign') return maxExposureOf(command, stakeReturned);
  if (command.kind === 'change_limits') {
    const entry = working.campaigns.get(command.campaignId);
    return entry === undefined ? null : raisedExposureOf(entry, command, stakeReturned);
  }
  const job = working.jobs.get(command.jobId);
  if (job === undefined) return null;
  // What a job by campaign can win is bounded by its campaign.
  if (job.shared === null) return [];
  const sum = readJobExposure(clientId, job.jobId, job.shared, stakeReturned);
  return (await inOneTrip(connection, [sum])).of(sum);
}
