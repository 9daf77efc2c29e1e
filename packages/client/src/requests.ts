// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type { IssueItem, JobItem } from './things.ts';

/** The request of `/FreeBets/Campaign/Create`. */
export interface CampaignCreateRequest {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** A display name: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
  quantity: number;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_from: string;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  valid_until: string;
  /** 1 to 500 items. */
  games: string[];
  /** The amount of one bet in each currency. 1 to 100 items. */
  bet_amounts: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
    amount: string;
  }>;
  /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. 1 to 525,600. */
  duration_min?: number;
  config?: {
    /** The campaign cap: the number of free bets in all; no cap if absent. 1 to 2,147,483,647. */
    bonus_limit?: number;
    /** The per-player cap: the number of free bets for one player; no cap if absent. 1 to 2,147,483,647. */
    bonus_limit_per_user?: number;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    min_coefficient?: string;
    /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
    max_coefficient?: string;
  };
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** The request of `/FreeBets/Campaign/Get`. */
export interface CampaignGetRequest {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
}

/** The request of `/FreeBets/Campaign/List`. */
export interface CampaignListRequest {
  /** `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good. */
  status?: 'scheduled' | 'active' | 'exhausted' | 'paused' | 'ended' | 'stopped';
  /** Only items that were created at this time or later. */
  created_from?: string;
  /** Only items that were created before this time. */
  created_until?: string;
  /** How many at most; 50 when absent. 1 to 200. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The request of `/FreeBets/Campaign/Stop`. */
export type CampaignStopRequest = CampaignGetRequest;

/** The request of `/FreeBets/Campaign/Pause`. */
export type CampaignPauseRequest = CampaignGetRequest;

/** The request of `/FreeBets/Campaign/Resume`. */
export type CampaignResumeRequest = CampaignGetRequest;

/** The request of `/FreeBets/Campaign/Limits`. */
export interface CampaignLimitsRequest {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
  /** The campaign cap: the number of free bets in all; null for no cap. 1 to 2,147,483,647. */
  bonus_limit: number | null;
  /** The per-player cap: the number of free bets for one player; null for no cap. 1 to 2,147,483,647. */
  bonus_limit_per_user: number | null;
}

/** The request of `/FreeBets/Issue`. */
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
      /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
      quantity: number;
      /** 1 to 500 items. */
      games: string[];
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      /** A display name: 1 to 255 printable characters, none that turns the direction of writing. */
      name?: string;
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_from?: string;
      /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. 1 to 525,600. */
      duration_min?: number;
      config?: {
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        min_coefficient?: string;
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        max_coefficient?: string;
      };
    }
);

/** The request of `/FreeBets/Issue/Batch`. */
export interface IssueBatchRequest {
  /** Issue requests without `client_id`. Each is checked on its own: an invalid item fails no other item, unless it exceeds a limit of the whole body. 1 to 1,000 items. */
  items: IssueItem[];
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** The request of `/FreeBets/Cancel`. */
export interface CancelRequest {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** If true, the request is decided as a real one would be now, and nothing is changed. */
  dry_run?: boolean;
}

/** The request of `/FreeBets/Cancel/Batch`. */
export interface CancelBatchRequest {
  /** The ids of the free bets. An id may be repeated. 1 to 1,000 items. */
  issue_ids: string[];
}

/** The request of `/FreeBets/Get`. */
export interface FreeBetGetRequest {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
}

/** The request of `/FreeBets/List`. */
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
  /** How many at most; 50 when absent. 1 to 200. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The request of `/FreeBets/Jobs/Create`. */
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
      /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
      quantity: number;
      /** 1 to 500 items. */
      games: string[];
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_from?: string;
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      /** Minutes from the activation (the later of issue and `valid_from`) until the free bet expires. 1 to 525,600. */
      duration_min?: number;
      config?: {
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        min_coefficient?: string;
        /** Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. */
        max_coefficient?: string;
      };
    }
);

/** The request of `/FreeBets/Jobs/Add`. */
export interface JobAddRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of the part. You number the parts from 1 and may send them in any order. 1 to 10,000. */
  part: number;
  /** The players of this part. Only a direct job takes `bet_amount` and `quantity`, in place of the shared ones. If `issue_id` is absent, it is derived from `job_id`, `part` and the position of the item. 1 to 5,000 items. */
  items: JobItem[];
}

/** The request of `/FreeBets/Jobs/Start`. */
export interface JobStartRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of parts that you sent. 1 to 10,000. */
  parts: number;
  /** The number of items that you sent, in all parts. 1 to 10,000,000. */
  items: number;
}

/** The request of `/FreeBets/Jobs/Get`. */
export interface JobGetRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
}

/** The request of `/FreeBets/Jobs/List`. */
export interface JobListRequest {
  /** `open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits for an earlier job of yours. `failed` when the service could not process the next item: `failure` says why. */
  status?: 'open' | 'scheduled' | 'running' | 'finished' | 'failed' | 'stopped';
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id?: string;
  /** How many at most; 50 when absent. 1 to 200. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The request of `/FreeBets/Jobs/Refusals`. */
export interface JobRefusalsRequest {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** How many at most; 100 when absent. 1 to 1,000. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The request of `/FreeBets/Jobs/Retry`. */
export type JobRetryRequest = JobGetRequest;

/** The request of `/FreeBets/Jobs/Stop`. */
export type JobStopRequest = JobGetRequest;

/** The request of `/Game/List`. */
export type GameListRequest = Record<string, never>;

/** The request of `/Events/List`. */
export interface EventsListRequest {
  /** The `sequence` of the last event that you processed; 0 to begin. Refused if it is ahead of the last event. 0 to 9,007,199,254,740,991. */
  after?: number;
  /** The `event_id` of the event at `after`; not allowed when `after` is 0. With it, a cursor from before a restore is refused with `feed_changed`. */
  after_event_id?: string;
  /** How many at most; 100 when absent. 1 to 1,000. */
  limit?: number;
}

/** The request of `/Rounds/Available`. */
export interface RoundsAvailableRequest {
  /** The partner of the player. 1 to 2,147,483,647. */
  client_id: number;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
}

/** The request of `/Rounds/Bet`. */
export interface RoundsBetRequest {
  /** The partner of the player. 1 to 2,147,483,647. */
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

/** The request of `/Rounds/Settle`. */
export type RoundsSettleRequest = {
  /** The partner of the player. 1 to 2,147,483,647. */
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

/** The request of `/Rounds/Rollback`. */
export interface RoundsRollbackRequest {
  /** The partner of the player. 1 to 2,147,483,647. */
  client_id: number;
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
}

/** The request of `/Rounds/Get`. */
export type RoundsGetRequest = RoundsRollbackRequest;

/** The request of `/Rounds/Open`. */
export interface RoundsOpenRequest {
  /** The partner of the player. 1 to 2,147,483,647. */
  client_id: number;
  /** Only items that were placed before this time. */
  placed_until?: string;
  /** How many at most; 50 when absent. 1 to 200. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
}

/** The request of `/Sandbox/Clock/Get`. */
export type SandboxClockGetRequest = GameListRequest;

/** The request of `/Sandbox/Clock/Set`. */
export interface SandboxClockSetRequest {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
}

/** The request of `/Sandbox/Round`. */
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
