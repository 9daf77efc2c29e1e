// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type { IssueItem, JobItem } from './things.ts';

/** What `/FreeBets/Campaign/Create` is asked. */
export interface CampaignCreateRequest {
  /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** A name for people: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** How many bets one free bet gives its player, shared over the games listed. */
  quantity: number;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_from: string;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_until: string;
  games: string[];
  /** The amount of one bet, once per currency. */
  bet_amounts: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
    amount: string;
  }>;
  /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. */
  duration_min?: number;
  config?: {
    /** How many free bets the campaign gives in all; no limit when absent. */
    bonus_limit?: number;
    /** How many free bets it gives to one player; no limit when absent. */
    bonus_limit_per_user?: number;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    min_coefficient?: string;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    max_coefficient?: string;
  };
  /** Decides as the real request would be decided now, and changes nothing. */
  dry_run?: boolean;
}

/** What `/FreeBets/Campaign/Get` is asked. */
export interface CampaignGetRequest {
  /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
}

/** What `/FreeBets/Campaign/List` is asked. */
export interface CampaignListRequest {
  /** `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good. */
  status?: 'scheduled' | 'active' | 'exhausted' | 'paused' | 'ended' | 'stopped';
  /** Only what was created at this time or later. */
  created_from?: string;
  /** Only what was created before this time. */
  created_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** What `/FreeBets/Campaign/Stop` is asked. */
export type CampaignStopRequest = CampaignGetRequest;

/** What `/FreeBets/Campaign/Pause` is asked. */
export type CampaignPauseRequest = CampaignGetRequest;

/** What `/FreeBets/Campaign/Resume` is asked. */
export type CampaignResumeRequest = CampaignGetRequest;

/** What `/FreeBets/Campaign/Limits` is asked. */
export interface CampaignLimitsRequest {
  /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
  /** How many free bets the campaign gives in all; null for no limit. */
  bonus_limit: number | null;
  /** How many it gives to one player; null for no limit. */
  bonus_limit_per_user: number | null;
}

/** What `/FreeBets/Issue` is asked. */
export type IssueRequest = {
  /** The free bet: a UUID of any version, in any case; answered in lower case. */
  issue_id?: string;
  /** The player, as the partner names them: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
  /** Decides as the real request would be decided now, and changes nothing. */
  dry_run?: boolean;
} & (
  | {
      bet_amount?: undefined;
      quantity?: undefined;
      games?: undefined;
      valid_until?: undefined;
      name?: undefined;
      valid_from?: undefined;
      duration_min?: undefined;
      config?: undefined;
      /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
      campaign_id: string;
    }
  | {
      campaign_id?: undefined;
      /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
      bet_amount: string;
      /** How many bets one free bet gives its player, shared over the games listed. */
      quantity: number;
      games: string[];
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      /** A name for people: 1 to 255 printable characters, none that turns the direction of writing. */
      name?: string;
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_from?: string;
      /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. */
      duration_min?: number;
      config?: {
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        min_coefficient?: string;
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        max_coefficient?: string;
      };
    }
);

/** What `/FreeBets/Issue/Batch` is asked. */
export interface IssueBatchRequest {
  /** Issue requests without `client_id`. Each is checked by itself: one bad item never fails another, unless it breaks a bound of the body as a whole. */
  items: IssueItem[];
  /** Decides as the real request would be decided now, and changes nothing. */
  dry_run?: boolean;
}

/** What `/FreeBets/Cancel` is asked. */
export interface CancelRequest {
  /** The free bet: a UUID of any version, in any case; answered in lower case. */
  issue_id: string;
  /** Decides as the real request would be decided now, and changes nothing. */
  dry_run?: boolean;
}

/** What `/FreeBets/Cancel/Batch` is asked. */
export interface CancelBatchRequest {
  /** The free bets; one may be named twice. */
  issue_ids: string[];
}

/** What `/FreeBets/Get` is asked. */
export interface FreeBetGetRequest {
  /** The free bet: a UUID of any version, in any case; answered in lower case. */
  issue_id: string;
}

/** What `/FreeBets/List` is asked. */
export interface FreeBetListRequest {
  /** The player, as the partner names them: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id?: string;
  /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** `issued` until `valid_from`, then `active`; `in_use` while a bet stands. */
  status?: 'issued' | 'active' | 'in_use' | 'finished' | 'cancelled' | 'expired';
  /** Only what was issued at this time or later. */
  issued_from?: string;
  /** Only what was issued before this time. */
  issued_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** What `/FreeBets/Jobs/Create` is asked. */
export type JobCreateRequest = {
  /** The job, as the partner names it: a UUID of any version, in any case; answered in lower case. */
  job_id: string;
  /** A name for people; the free bets of a direct job have it too: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** The job begins at this time, or when it is started, whichever is later. ISO 8601 in UTC, ending in `Z`. */
  start_at?: string;
} & (
  | {
      bet_amount?: undefined;
      quantity?: undefined;
      games?: undefined;
      valid_from?: undefined;
      valid_until?: undefined;
      duration_min?: undefined;
      config?: undefined;
      /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
      campaign_id: string;
    }
  | {
      campaign_id?: undefined;
      /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
      bet_amount: string;
      /** How many bets one free bet gives its player, shared over the games listed. */
      quantity: number;
      games: string[];
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_from?: string;
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. */
      duration_min?: number;
      config?: {
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        min_coefficient?: string;
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        max_coefficient?: string;
      };
    }
);

/** What `/FreeBets/Jobs/Add` is asked. */
export interface JobAddRequest {
  /** The job, as the partner names it: a UUID of any version, in any case; answered in lower case. */
  job_id: string;
  /** The number of the part, counted by you from 1 on; sent in any order. */
  part: number;
  /** Players of this job. `bet_amount` and `quantity` only in a direct job, in place of the shared ones. Without `issue_id` one is made from `job_id`, `part` and the position of the item, always the same. */
  items: JobItem[];
}

/** What `/FreeBets/Jobs/Start` is asked. */
export interface JobStartRequest {
  /** The job, as the partner names it: a UUID of any version, in any case; answered in lower case. */
  job_id: string;
  /** How many parts you sent. */
  parts: number;
  /** How many items you sent, in all parts. */
  items: number;
}

/** What `/FreeBets/Jobs/Get` is asked. */
export interface JobGetRequest {
  /** The job, as the partner names it: a UUID of any version, in any case; answered in lower case. */
  job_id: string;
}

/** What `/FreeBets/Jobs/List` is asked. */
export interface JobListRequest {
  /** `open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits for an earlier job of yours. `failed` when the service could not process the next item: `failure` says why. */
  status?: 'open' | 'scheduled' | 'running' | 'finished' | 'failed' | 'stopped';
  /** The campaign, as the partner names it: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** What `/FreeBets/Jobs/Refusals` is asked. */
export interface JobRefusalsRequest {
  /** The job, as the partner names it: a UUID of any version, in any case; answered in lower case. */
  job_id: string;
  /** How many at most; 100 when absent. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** What `/FreeBets/Jobs/Retry` is asked. */
export type JobRetryRequest = JobGetRequest;

/** What `/FreeBets/Jobs/Stop` is asked. */
export type JobStopRequest = JobGetRequest;

/** What `/Game/List` is asked. */
export type GameListRequest = Record<string, never>;

/** What `/Events/List` is asked. */
export interface EventsListRequest {
  /** The `sequence` of the last event that you processed; 0 to begin. Refused if it is ahead of the last event. */
  after?: number;
  /** The `event_id` of the event at `after`; not allowed when `after` is 0. With it, a cursor from before a restore is refused with `feed_changed`. */
  after_event_id?: string;
  /** How many at most; 100 when absent. */
  limit?: number;
}

/** What `/Rounds/Available` is asked. */
export interface RoundsAvailableRequest {
  /** The partner whose player plays. */
  client_id: number;
  /** The player, as the partner names them: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** A game, by its `id` in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
}

/** What `/Rounds/Bet` is asked. */
export interface RoundsBetRequest {
  /** The partner whose player plays. */
  client_id: number;
  /** The bet, as its provider names it: a UUID of any version, in any case; answered in lower case. */
  bet_id: string;
  /** The free bet: a UUID of any version, in any case; answered in lower case. */
  issue_id: string;
  /** The player, as the partner names them: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** A game, by its `id` in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
  coefficient?: string;
}

/** What `/Rounds/Settle` is asked. */
export type RoundsSettleRequest = {
  /** The partner whose player plays. */
  client_id: number;
  /** The bet, as its provider names it: a UUID of any version, in any case; answered in lower case. */
  bet_id: string;
} & (
  | {
      coefficient?: undefined;
      result: 'lost';
    }
  | {
      result: 'won';
      /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
      coefficient: string;
    }
);

/** What `/Rounds/Rollback` is asked. */
export interface RoundsRollbackRequest {
  /** The partner whose player plays. */
  client_id: number;
  /** The bet, as its provider names it: a UUID of any version, in any case; answered in lower case. */
  bet_id: string;
}

/** What `/Rounds/Get` is asked. */
export type RoundsGetRequest = RoundsRollbackRequest;

/** What `/Rounds/Open` is asked. */
export interface RoundsOpenRequest {
  /** The partner whose player plays. */
  client_id: number;
  /** Only what was placed before this time. */
  placed_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
}

/** What `/Sandbox/Clock/Get` is asked. */
export type SandboxClockGetRequest = GameListRequest;

/** What `/Sandbox/Clock/Set` is asked. */
export interface SandboxClockSetRequest {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
}

/** What `/Sandbox/Round` is asked. */
export type SandboxRoundRequest = {
  /** The free bet: a UUID of any version, in any case; answered in lower case. */
  issue_id: string;
  /** A game, by its `id` in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id?: string;
} & (
  | {
      result: 'won';
      /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
      coefficient: string;
    }
  | {
      coefficient?: undefined;
      result: 'lost' | 'rolled_back';
    }
);
