import { hash } from 'node:crypto';
import type { BetAnswer, FreeBetBody, ResponseOf, SettleAnswer } from '@freebets/contract';
import type { Cents, CoefficientE4, Instant } from './amounts.ts';
import type { Campaign, Limits } from './campaign.ts';
import type { Terms } from './terms.ts';

// A command is a validated request, in the domain's own terms, with everything that is not a rule already decided:
// ids are made, strings are numbers. `contentHash` stands for its content when the same id comes again.

export interface CreateCampaign extends Omit<Campaign, 'createdAt'> {
  kind: 'create_campaign';
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
  terms: Omit<Terms, 'validFrom'> & { validFrom: Instant | null };
  contentHash: string;
}

export interface CancelFreeBet {
  kind: 'cancel_free_bet';
  issueId: string;
}

/** The sweeper's: writes down that the time of this free bet has come. */
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
}

/** What each of them answers when it is not refused. */
export interface Answers {
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
}

export type CommandKind = keyof Commands;
/** Of a kind, or of several; written so that the compiler knows which answer belongs to which. */
export type CommandOf<K extends CommandKind> = { [P in K]: Commands[P] & { kind: P } }[K];
export type Command = CommandOf<CommandKind>;

/** 128 bits of SHA-256 over the values in a fixed order: equal for equal values, whatever the request's white space. */
export const contentHash = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(values), 'hex').slice(0, 32);
