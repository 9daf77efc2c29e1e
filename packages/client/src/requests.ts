// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type { IssueItem, JobItem } from './things.ts';

/** What `/FreeBets/Campaign/Create` is asked. */
export interface CampaignCreateRequest {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** A display name: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** The number of bets in one free bet, shared by the games listed. */
  quantity: number;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_from: string;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_until: string;
  games: string[];
  /** The amount of one bet in each currency. */
  bet_amounts: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
    amount: string;
  }>;
  /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. */
  duration_min?: number;
  config?: {
    /** The campaign cap: the number of free bets in all; no cap if absent. */
    bonus_limit?: number;
    /** The per-player cap: the number of free bets for one player; no cap if absent. */
    bonus_limit_per_user?: number;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    min_coefficient?: string;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    max_coefficient?: string;
  };
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** What `/FreeBets/Campaign/Get` is asked. */
export interface CampaignGetRequest {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
}

/** What `/FreeBets/Campaign/List` is asked. */
export interface CampaignListRequest {
  /** `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good. */
  status?: 'scheduled' | 'active' | 'exhausted' | 'paused' | 'ended' | 'stopped';
  /** Only items that were created at this time or later. */
  created_from?: string;
  /** Only items that were created before this time. */
  created_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
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
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
  /** The campaign cap: the number of free bets in all; null for no cap. */
  bonus_limit: number | null;
  /** The per-player cap: the number of free bets for one player; null for no cap. */
  bonus_limit_per_user: number | null;
}

/** What `/FreeBets/Issue` is asked. */
export type IssueRequest = {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id?: string;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
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
      /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
      campaign_id: string;
    }
  | {
      campaign_id?: undefined;
      /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
      bet_amount: string;
      /** The number of bets in one free bet, shared by the games listed. */
      quantity: number;
      games: string[];
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      /** A display name: 1 to 255 printable characters, none that turns the direction of writing. */
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
  /** Issue requests without `client_id`. Each is checked on its own: an invalid item fails no other item, unless it exceeds a limit of the whole body. */
  items: IssueItem[];
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** What `/FreeBets/Cancel` is asked. */
export interface CancelRequest {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** What `/FreeBets/Cancel/Batch` is asked. */
export interface CancelBatchRequest {
  /** The ids of the free bets. An id may be repeated. */
  issue_ids: string[];
}

/** What `/FreeBets/Get` is asked. */
export interface FreeBetGetRequest {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
}

/** What `/FreeBets/List` is asked. */
export interface FreeBetListRequest {
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id?: string;
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** `issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled back. */
  status?: 'issued' | 'active' | 'in_use' | 'finished' | 'cancelled' | 'expired';
  /** Only items that were issued at this time or later. */
  issued_from?: string;
  /** Only items that were issued before this time. */
  issued_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** What `/FreeBets/Jobs/Create` is asked. */
export type JobCreateRequest = {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** A display name; the free bets of a direct job get it too: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** The earliest time at which the job begins after it was started. ISO 8601 in UTC, ending in `Z`. */
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
      /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
      campaign_id: string;
    }
  | {
      campaign_id?: undefined;
      /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
      bet_amount: string;
      /** The number of bets in one free bet, shared by the games listed. */
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
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of the part. You number the parts from 1 and may send them in any order. */
  part: number;
  /** The players of this part. Only a direct job takes `bet_amount` and `quantity`, in place of the shared ones. If `issue_id` is absent, it is derived from `job_id`, `part` and the position of the item. */
  items: JobItem[];
}

/** What `/FreeBets/Jobs/Start` is asked. */
export interface JobStartRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of parts that you sent. */
  parts: number;
  /** The number of items that you sent, in all parts. */
  items: number;
}

/** What `/FreeBets/Jobs/Get` is asked. */
export interface JobGetRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
}

/** What `/FreeBets/Jobs/List` is asked. */
export interface JobListRequest {
  /** `open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits for an earlier job of yours. `failed` when the service could not process the next item: `failure` says why. */
  status?: 'open' | 'scheduled' | 'running' | 'finished' | 'failed' | 'stopped';
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** What `/FreeBets/Jobs/Refusals` is asked. */
export interface JobRefusalsRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** How many at most; 100 when absent. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
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
  /** The partner of the player. */
  client_id: number;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
}

/** What `/Rounds/Bet` is asked. */
export interface RoundsBetRequest {
  /** The partner of the player. */
  client_id: number;
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
  coefficient?: string;
}

/** What `/Rounds/Settle` is asked. */
export type RoundsSettleRequest = {
  /** The partner of the player. */
  client_id: number;
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
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
  /** The partner of the player. */
  client_id: number;
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
}

/** What `/Rounds/Get` is asked. */
export type RoundsGetRequest = RoundsRollbackRequest;

/** What `/Rounds/Open` is asked. */
export interface RoundsOpenRequest {
  /** The partner of the player. */
  client_id: number;
  /** Only items that were placed before this time. */
  placed_until?: string;
  /** How many at most; 50 when absent. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
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
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
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
