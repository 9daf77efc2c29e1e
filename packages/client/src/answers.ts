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

/** What `/FreeBets/Campaign/Create` answers. */
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

/** What `/FreeBets/Campaign/List` answers. */
export interface CampaignListResponse {
  campaigns: CampaignWithCounts[];
  next_cursor: string | null;
}

/** What `/FreeBets/Issue` answers. */
export interface IssueResponse extends FreeBet {
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
}

/** What `/FreeBets/Issue/Batch` answers. */
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
        /** The number of bets in one free bet, shared by the games listed. */
        quantity: number;
        /** The number of bets left. */
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

/** What `/FreeBets/Cancel` answers. */
export interface CancelResponse {
  /** Only in the response to a dry run: nothing was changed. */
  dry_run?: true;
}

/** What `/FreeBets/Cancel/Batch` answers. */
export interface CancelBatchResponse {
  /** The results in the order of the ids. */
  results: Array<{
    /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
    issue_id: string;
    error?: ItemError;
  }>;
}

/** What `/FreeBets/List` answers. */
export interface FreeBetListResponse {
  free_bets: FreeBet[];
  next_cursor: string | null;
}

/** What `/FreeBets/Jobs/Add` answers. */
export interface JobAddResponse {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** The number of the part. You number the parts from 1 and may send them in any order. */
  part: number;
  /** The number of items in the part. */
  items: number;
}

/** What `/FreeBets/Jobs/List` answers. */
export interface JobListResponse {
  jobs: Job[];
  next_cursor: string | null;
}

/** What `/FreeBets/Jobs/Refusals` answers. */
export interface JobRefusalsResponse {
  /** The refused items, in the order in which they were processed. */
  refusals: JobRefusal[];
  next_cursor: string | null;
}

/** What `/Game/List` answers. */
export interface GameListResponse {
  providers: Array<{
    /** Name of the provider: 1 to 128 printable characters, none that turns the direction of writing. */
    name: string;
    currencies: string[];
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

/** What `/Events/List` answers. */
export interface EventsListResponse {
  /** The events, in the order of their `sequence`. */
  events: FreebetsEvent[];
  /** The `sequence` of the last event on this page, or `after` if the page is empty: the next `after`. */
  last_sequence: number;
  /** The `sequence` of the oldest event that is kept, or of the next event if there is none. */
  oldest_sequence: number;
}

/** What `/Rounds/Available` answers. */
export interface RoundsAvailableResponse {
  /** The free bets that can be used in the game now; the first expires soonest. */
  free_bets: Array<{
    /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
    issue_id: string;
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
    amount: string;
    /** The number of bets left. */
    remaining: number;
    min_coefficient: string | null;
    max_coefficient: string | null;
    /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
    expires_at: string;
  }>;
}

/** What `/Rounds/Bet` answers. */
export interface RoundsBetResponse {
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
  /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
  amount: string;
  /** The number of bets left. */
  remaining: number;
  min_coefficient: string | null;
  max_coefficient: string | null;
}

/** What `/Rounds/Settle` answers. */
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

/** What `/Rounds/Open` answers. */
export interface RoundsOpenResponse {
  /** The bets that are placed and not settled, oldest first. */
  bets: RoundBet[];
  next_cursor: string | null;
}

/** What `/Sandbox/Clock/Get` answers. */
export interface SandboxClockGetResponse {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
  /** The number of seconds that the sandbox clock is ahead of the real time. */
  offset_s: number;
}

/** What `/Sandbox/Clock/Set` answers. */
export interface SandboxClockSetResponse {
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  now: string;
  /** The number of seconds that the sandbox clock is ahead of the real time. */
  offset_s: number;
}
