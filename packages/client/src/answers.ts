// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type {
  CampaignWithCounts,
  FreeBet,
  FreebetsEvent,
  Game,
  ItemError,
  Job,
  JobRefusal,
  RoundBet,
} from './things.ts';

/** The response of `/FreeBets/Campaign/Create`. */
export interface CampaignCreateResponse {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
  /** Only in the response to a dry run: the maximum liability of the campaign; `amount` is null without a `bonus_limit` or a `max_coefficient`. */
  max_exposure?: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    amount: string | null;
  }>;
}

/** The response of `/FreeBets/Campaign/List`. */
export interface CampaignListResponse {
  campaigns: CampaignWithCounts[];
  next_cursor: string | null;
}

/** The response of `/FreeBets/Issue`. */
export interface IssueResponse extends FreeBet {
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
}

/** The response of `/FreeBets/Issue/Batch`. */
export interface IssueBatchResponse {
  results: Array<
    | FreeBet
    | {
        /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
        issue_id: string;
        campaign_id: string | null;
        /** `issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled back. */
        status: 'issued' | 'active' | 'in_use' | 'finished' | 'cancelled' | 'expired';
        /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
        player_id: string;
        /** Currency code, such as `EUR` or `USDT`. */
        currency: string;
        /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
        bet_amount: string;
        /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
        quantity: number;
        /** The number of bets left. 0 to 1,000. */
        remaining: number;
        config: {
          min_coefficient: string | null;
          max_coefficient: string | null;
        };
        /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
        valid_from: string;
        /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
        valid_until: string;
        /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
        expires_at: string;
        /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
        issued_at: string;
      }
    | {
        issue_id: string | null;
        error: ItemError;
      }
  >;
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
}

/** The response of `/FreeBets/Cancel`. */
export interface CancelResponse {
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
}

/** The response of `/FreeBets/Cancel/Batch`. */
export interface CancelBatchResponse {
  /** The results in the order of the ids. */
  results: Array<{
    /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
    issue_id: string;
    error?: ItemError;
  }>;
}

/** The response of `/FreeBets/List`. */
export interface FreeBetListResponse {
  free_bets: FreeBet[];
  next_cursor: string | null;
}

/** The response of `/FreeBets/Jobs/Add`. */
export interface JobAddResponse {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of the part. You number the parts from 1 and may send them in any order. 1 to 10,000. */
  part: number;
  /** The number of items in the part. */
  items: number;
}

/** The response of `/FreeBets/Jobs/List`. */
export interface JobListResponse {
  jobs: Job[];
  next_cursor: string | null;
}

/** The response of `/FreeBets/Jobs/Refusals`. */
export interface JobRefusalsResponse {
  /** The refused items, in the order in which they were processed. */
  refusals: JobRefusal[];
  next_cursor: string | null;
}

/** The response of `/Game/List`. */
export interface GameListResponse {
  /** 0 to 1,000 items. */
  providers: Array<{
    /** Name of the provider: 1 to 128 printable characters, none that turns the direction of writing. */
    name: string;
    /** 1 to 300 items. */
    currencies: string[];
    /** 0 to 10,000 items. */
    games: Game[];
  }>;
  image_assets: {
    /** The prefix of image paths: 1 to 512 printable characters, none that turns the direction of writing. */
    base_url: string;
    presets: {
      game: {
        landscape: {
          /** Pixels, as a string. */
          width: string;
          /** Pixels, as a string. */
          height: string;
        };
        portrait: {
          /** Pixels, as a string. */
          width: string;
          /** Pixels, as a string. */
          height: string;
        };
        square: {
          /** Pixels, as a string. */
          width: string;
          /** Pixels, as a string. */
          height: string;
        };
      };
    };
  };
}

/** The response of `/Events/List`. */
export interface EventsListResponse {
  /** The events, in the order of their `sequence`. */
  events: FreebetsEvent[];
  /** The `sequence` of the last event on this page, or `after` if the page is empty: the next `after`. */
  last_sequence: number;
  /** The `sequence` of the oldest event that is kept, or of the next event if there is none. */
  oldest_sequence: number;
}

/** The response of `/Rounds/Available`. */
export interface RoundsAvailableResponse {
  /** The free bets that can be used in the game now; the first expires soonest. */
  free_bets: Array<{
    /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
    issue_id: string;
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
    amount: string;
    /** The number of bets left. 0 to 1,000. */
    remaining: number;
    min_coefficient: string | null;
    max_coefficient: string | null;
    /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
    expires_at: string;
  }>;
}

/** The response of `/Rounds/Bet`. */
export interface RoundsBetResponse {
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
  /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
  amount: string;
  /** The number of bets left. 0 to 1,000. */
  remaining: number;
  min_coefficient: string | null;
  max_coefficient: string | null;
}

/** The response of `/Rounds/Settle`. */
export interface RoundsSettleResponse {
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  result: 'won' | 'lost';
  coefficient: string | null;
  /** Amount with two decimals. */
  win_amount: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
}

/** The response of `/Rounds/Open`. */
export interface RoundsOpenResponse {
  /** The bets that are placed and not settled, oldest first. */
  bets: RoundBet[];
  next_cursor: string | null;
}

/** The response of `/Sandbox/Clock/Get`. */
export interface SandboxClockGetResponse {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
  /** The number of seconds that the sandbox clock is ahead of the real time. */
  offset_s: number;
}

/** The response of `/Sandbox/Clock/Set`. */
export interface SandboxClockSetResponse {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
  /** The number of seconds that the sandbox clock is ahead of the real time. */
  offset_s: number;
}
