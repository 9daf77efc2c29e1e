import { hash } from 'node:crypto';
import type { BetAnswer, FreeBetBody, ResponseOf, SandboxClockBody, SettleAnswer } from '@freebets/contract';
import type { Attribution } from '../../audit/entry.ts';
import type { Lanes as EngineLanes } from '../../engine/lanes.ts';
import type { Cents, CoefficientE4, Instant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { Campaign, Limits } from '../campaigns/campaign.ts';
import type { JobPart, JobQuota, NewJob, RefusedCounts, SharedTerms } from '../jobs/job.ts';
import type { DirectTerms, RequestedTerms } from '../terms.ts';

// A command is a validated request in the terms of the domain. Everything that is not a rule is already decided: ids
// are generated and strings parsed. `contentHash` identifies the content, to compare it when a request repeats an id.

export interface CreateCampaign extends Omit<Campaign, 'createdAt' | 'terms'> {
  kind: 'create_campaign';
  terms: RequestedTerms;
}

export interface StopCampaign {
  kind: 'stop_campaign';
  campaignId: string;
}

export interface PauseCampaign {
  kind: 'pause_campaign';
  campaignId: string;
}

export interface ResumeCampaign {
  kind: 'resume_campaign';
  campaignId: string;
}

export interface ChangeLimits extends Limits {
  kind: 'change_limits';
  campaignId: string;
}

export interface IssueByCampaign {
  kind: 'issue_by_campaign';
  issueId: string;
  campaignId: string;
  playerId: string;
  currency: string;
  contentHash: string;
}

export interface IssueDirect {
  kind: 'issue_direct';
  issueId: string;
  playerId: string;
  currency: string;
  betAmount: Cents;
  /** `validFrom` null means from the moment of issue. */
  terms: DirectTerms;
  /**
   * Set if the payout type was decided earlier: by the job, or when the exposure was judged. Otherwise the partner's
   * setting applies.
   */
  stakeReturned?: boolean;
  contentHash: string;
}

export interface CancelFreeBet {
  kind: 'cancel_free_bet';
  issueId: string;
}

/** From the expiry worker: records that a free bet has expired. */
export interface ExpireFreeBet {
  kind: 'expire_free_bet';
  issueId: string;
}

interface OfProvider {
  providerId: string;
  betId: string;
}

export interface PlaceBet extends OfProvider {
  kind: 'place_bet';
  issueId: string;
  playerId: string;
  gameId: string;
  coefficient: CoefficientE4 | null;
  contentHash: string;
}

export interface SettleBet extends OfProvider {
  kind: 'settle_bet';
  result: 'won' | 'lost';
  /** Null when lost. */
  coefficient: CoefficientE4 | null;
}

export interface RollBackBet extends OfProvider {
  kind: 'roll_back_bet';
}

export interface SetClock {
  kind: 'set_clock';
  to: Instant;
}

/** Plays a round as its provider would, with the coefficient at its end. */
export interface PlayRound {
  kind: 'play_round';
  issueId: string;
  betId: string;
  /** Null means the first game of the free bet. */
  gameId: string | null;
  result: 'won' | 'lost' | 'rolled_back';
  /** Null unless won. */
  coefficient: CoefficientE4 | null;
}

export interface CreateJob extends Omit<NewJob, 'createdAt' | 'shared'> {
  kind: 'create_job';
  shared: Omit<SharedTerms, 'stakeReturned'> | null;
  quota: JobQuota;
}

export interface AddJobPart extends JobPart {
  kind: 'add_job_part';
  quota: JobQuota;
  /** The first item fields that only a direct job may have, such as `items[3].quantity`. */
  directJobFields: readonly string[];
}

export interface StartJob {
  kind: 'start_job';
  jobId: string;
  /** How many parts and items the caller has sent. */
  parts: number;
  items: number;
  /** Refuses a job that was started or stopped before; for callers that don't repeat their requests. */
  mustBeOpen?: true;
}

export interface StopJob {
  kind: 'stop_job';
  jobId: string;
}

export interface RetryJob {
  kind: 'retry_job';
  jobId: string;
}

/** From the worker: ends a job that was taken too often without progress. */
export interface FailJob {
  kind: 'fail_job';
  jobId: string;
  holder: string;
  /** The first part that is left; null if none is. */
  part: number | null;
}

/** From the service itself: stops a failed job that was neither retried nor stopped for a long time. */
export interface GiveUpJob {
  kind: 'give_up_job';
  jobId: string;
}

/** From the worker: processes the next items of a job. */
export interface RunJobStep {
  kind: 'run_job_step';
  jobId: string;
  /** The worker that holds the lease of the job. */
  holder: string;
  /** How many items of the job were processed before. */
  from: number;
  part: number;
  fromItem: number;
  commands: readonly (IssueByCampaign | IssueDirect)[];
  isLastOfPart: boolean;
  /** The stored bytes of the whole part. */
  partBytes: number;
  perSecond: number | null;
}

interface Commands {
  create_campaign: CreateCampaign;
  stop_campaign: StopCampaign;
  pause_campaign: PauseCampaign;
  resume_campaign: ResumeCampaign;
  change_limits: ChangeLimits;
  issue_by_campaign: IssueByCampaign;
  issue_direct: IssueDirect;
  cancel_free_bet: CancelFreeBet;
  expire_free_bet: ExpireFreeBet;
  place_bet: PlaceBet;
  settle_bet: SettleBet;
  roll_back_bet: RollBackBet;
  set_clock: SetClock;
  play_round: PlayRound;
  create_job: CreateJob;
  add_job_part: AddJobPart;
  start_job: StartJob;
  stop_job: StopJob;
  retry_job: RetryJob;
  fail_job: FailJob;
  give_up_job: GiveUpJob;
  run_job_step: RunJobStep;
}

/** The result of each kind of command if it is not refused. */
export interface CommandResults {
  create_campaign: ResponseOf<'CampaignCreate'>;
  stop_campaign: ResponseOf<'CampaignStop'>;
  pause_campaign: ResponseOf<'CampaignPause'>;
  resume_campaign: ResponseOf<'CampaignResume'>;
  change_limits: ResponseOf<'CampaignLimits'>;
  issue_by_campaign: FreeBetBody;
  issue_direct: FreeBetBody;
  cancel_free_bet: ResponseOf<'Cancel'>;
  expire_free_bet: object;
  place_bet: BetAnswer;
  settle_bet: SettleAnswer;
  roll_back_bet: ResponseOf<'RoundsRollback'>;
  set_clock: SandboxClockBody;
  play_round: ResponseOf<'SandboxRound'>;
  create_job: ResponseOf<'JobCreate'>;
  add_job_part: ResponseOf<'JobAdd'>;
  start_job: ResponseOf<'JobStart'>;
  stop_job: ResponseOf<'JobStop'>;
  retry_job: ResponseOf<'JobRetry'>;
  /** Whether it failed. */
  fail_job: { isFailed: boolean };
  give_up_job: object;
  run_job_step: JobStepResult;
}

export interface JobStepResult {
  /**
   * False if it was not the next step or the worker has lost the job. While the campaign is paused, true without any
   * item.
   */
  hasRun: boolean;
  issued: number;
  refused: RefusedCounts;
}

export type CommandKind = keyof Commands;
/**
 * A command of one kind or of several. The mapped type lets the compiler match each kind with its result. `by` is the
 * staff member who sent the command, for the audit log; commands of partners have none. `isGated` refuses commands that
 * need a draft.
 */
export type CommandOf<K extends CommandKind> = {
  [P in K]: Commands[P] & { kind: P; by?: Attribution; isGated?: true };
}[K];
export type Command = CommandOf<CommandKind>;

/** The lanes of the engine, with the type of response that each kind of command has. */
export interface Lanes extends Omit<EngineLanes<Command>, 'submit' | 'submitLowPriority'> {
  submit<K extends CommandKind>(
    clientId: number,
    commands: readonly CommandOf<K>[],
  ): Promise<Outcome<CommandResults[K]>[]>;
  submitLowPriority<K extends CommandKind>(
    clientId: number,
    make: (room: number) => CommandOf<K>,
  ): Promise<Outcome<CommandResults[K]>>;
}

/** 128 bits of SHA-256 over the values in a fixed order, so that the white space of the request does not matter. */
export const contentHash = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(values), 'hex').slice(0, 32);

export const issueByCampaignCommand = (given: Omit<IssueByCampaign, 'kind' | 'contentHash'>): IssueByCampaign => ({
  ...given,
  kind: 'issue_by_campaign',
  contentHash: contentHash([given.campaignId, given.playerId, given.currency]),
});

export const issueDirectCommand = (given: Omit<IssueDirect, 'kind' | 'contentHash'>): IssueDirect => ({
  ...given,
  kind: 'issue_direct',
  contentHash: contentHash([given.playerId, given.currency, given.betAmount, given.terms]),
});
