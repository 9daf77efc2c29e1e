// Made from the contract by "node test/docs/write-tables.ts": change it there.

/** The name of every error that an operation returns. */
export type ErrorName =
  | ValidationErrorName
  | AuthenticationErrorName
  | NotFoundErrorName
  | ConflictErrorName
  | RateLimitErrorName
  | ServerErrorName;

export type ValidationErrorName =
  | 'currency_not_allowed'
  | 'invalid_request'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'not_json'
  | 'game_without_free_bets'
  | 'invalid_validity'
  | 'game_not_available';

export type AuthenticationErrorName = 'forbidden';

export type NotFoundErrorName =
  | 'unknown_operation'
  | 'free_bet_not_found'
  | 'bet_not_found'
  | 'campaign_not_found'
  | 'job_not_found';

export type ConflictErrorName =
  | 'id_reused'
  | 'free_bet_expired'
  | 'free_bet_not_started'
  | 'free_bet_used_up'
  | 'free_bet_cancelled'
  | 'coefficient_out_of_range'
  | 'game_not_covered'
  | 'free_bet_already_used'
  | 'bet_already_settled'
  | 'bet_rolled_back'
  | 'campaign_ended'
  | 'campaign_stopped'
  | 'campaign_paused'
  | 'bonus_limit_reached'
  | 'bonus_limit_per_user_reached'
  | 'job_started'
  | 'job_incomplete'
  | 'feed_changed'
  | 'events_removed'
  | 'job_quota_reached'
  | 'not_a_sandbox';

export type RateLimitErrorName = 'too_many_requests';

export type ServerErrorName = 'internal_error' | 'unavailable';

export interface FreeBet {
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
  /** 1 to 500 items. */
  games: string[];
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

export interface Bet {
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  game_id: string;
  /** `rolled_back` occurs only in events: responses leave out bets that were rolled back. */
  status: 'placed' | 'won' | 'lost' | 'rolled_back';
  coefficient: string | null;
  win_amount: string | null;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  placed_at: string;
  settled_at: string | null;
}

export interface FreeBetWithBets extends FreeBet {
  bets: Bet[];
}

export interface Campaign {
  /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
  campaign_id: string;
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
  duration_min: number | null;
  /** Whether a win returns the stake too: the setting of the partner when the campaign was created. */
  stake_returned: boolean;
  config: {
    bonus_limit: number | null;
    bonus_limit_per_user: number | null;
    min_coefficient: string | null;
    max_coefficient: string | null;
  };
  /** `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good. */
  status: 'scheduled' | 'active' | 'exhausted' | 'paused' | 'ended' | 'stopped';
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  created_at: string;
  stopped_at: string | null;
  paused_at: string | null;
  limits_changed_at: string | null;
}

export interface CampaignWithCounts extends Campaign {
  counts: {
    /** The number of free bets issued, including cancelled ones. */
    issued: number;
    /** The number of cancelled free bets. */
    cancelled: number;
    /** The number of free bets that expired with bets left. */
    expired: number;
    /** The number of free bets whose bets are all used and settled. */
    finished: number;
    /** The number of bets placed and not rolled back. */
    bets_placed: number;
  };
  winnings: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    /** Amount with two decimals. */
    amount: string;
  }>;
  /** The maximum liability of bets that are left and of bets that are not settled, including those of expired free bets; `amount` is null without a `max_coefficient`. */
  exposure: Array<{
    /** Currency code, such as `EUR` or `USDT`. */
    currency: string;
    amount: string | null;
  }>;
}

export interface Game {
  /** The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  id: string;
  /** Display title: 1 to 255 printable characters, none that turns the direction of writing. */
  title: string;
  /** Game category, such as `BetOnGames`: 1 to 64 printable characters, none that turns the direction of writing. */
  category: string;
  /** 0 to 20 items. */
  promoTypes: string[];
  images: {
    /** The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns the direction of writing. */
    landscape: string;
    /** The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns the direction of writing. */
    portrait: string;
    /** The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns the direction of writing. */
    square: string;
  };
}

export type Job = {
  /** The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case. */
  job_id: string;
  /** A display name; the free bets of a direct job get it too: 1 to 255 printable characters, none that turns the direction of writing. */
  name: string;
  /** `open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits for an earlier job of yours. `failed` when the service could not process the next item: `failure` says why. */
  status: 'open' | 'scheduled' | 'running' | 'finished' | 'failed' | 'stopped';
  /** The number of parts added. */
  parts: number;
  /** The number of items added, in all parts. */
  items: number;
  /** The number of items whose free bet was issued. */
  issued: number;
  /** The number of refused items for each error; errors without refused items are absent. */
  refused: Partial<Record<ErrorName, number>>;
  /** The number of items not processed yet. A stopped job never processes them; a failed job does after a retry. */
  remaining: number;
  per_second: number | null;
  eta: string | null;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  created_at: string;
  start_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  stopped_at: string | null;
  failure: {
    /** The reason for the failure, as a sentence. */
    reason: string;
    part: number | null;
    /** The position of the next item in its part, counted from 0 as in `items[0]`. */
    item: number;
    /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
    failed_at: string;
  } | null;
} & (
  | {
      /** The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such as a zero-width space. */
      campaign_id: string;
    }
  | {
      /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
      bet_amount: string;
      /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
      quantity: number;
      /** 1 to 500 items. */
      games: string[];
      valid_from: string | null;
      /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
      valid_until: string;
      duration_min: number | null;
      config: {
        min_coefficient: string | null;
        max_coefficient: string | null;
      };
    }
);

export interface JobItem {
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id?: string;
  /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
  bet_amount?: string;
  /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
  quantity?: number;
}

export interface JobRefusal {
  /** The number of the part. You number the parts from 1 and may send them in any order. 1 to 10,000. */
  part: number;
  /** The position of the item in its part, counted from 0 as in `items[0]`. */
  item: number;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency?: string;
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id: string;
  /** Amount with exactly two decimals, greater than zero, such as `"1.50"`. */
  bet_amount?: string;
  /** The number of bets in one free bet, shared by the games listed. 1 to 1,000. */
  quantity?: number;
  error: ItemError;
}

export type FreebetsEvent = {
  /** The id of the event: a UUID of version 7. It stays the same when the event is sent again. */
  event_id: string;
  /** The number of the event in the partner's feed, without gaps. */
  sequence: number;
  /** ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond. */
  occurred_at: string;
  /** The partner on whose behalf the call is made; its secret signs the request. 1 to 2,147,483,647. */
  client_id: number;
} & (
  | {
      type: 'freebet.issued' | 'freebet.finished' | 'freebet.cancelled' | 'freebet.expired';
      data: {
        free_bet: FreeBet;
      };
    }
  | {
      type: 'freebet.used' | 'freebet.settled' | 'freebet.rolled_back';
      data: {
        free_bet: FreeBet;
        bet: Bet;
      };
    }
  | {
      type:
        | 'campaign.created'
        | 'campaign.exhausted'
        | 'campaign.stopped'
        | 'campaign.paused'
        | 'campaign.resumed'
        | 'campaign.limits_changed';
      data: {
        campaign: Campaign;
      };
    }
  | {
      type: 'job.finished' | 'job.failed' | 'job.stopped';
      data: {
        job: Job;
      };
    }
);

export interface RoundBet {
  /** The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case. */
  bet_id: string;
  status: 'placed' | 'won' | 'lost' | 'rolled_back';
  issue_id: string | null;
  player_id: string | null;
  game_id: string | null;
  currency: string | null;
  amount: string | null;
  coefficient: string | null;
  win_amount: string | null;
  placed_at: string | null;
  settled_at: string | null;
}

export type IssueItem = {
  /** The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case. */
  issue_id?: string;
  /** The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space. */
  player_id: string;
  /** Currency code, such as `EUR` or `USDT`. */
  currency: string;
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

export interface ItemError {
  /** The number of the error. */
  code: number;
  /** A stable word for programs. */
  error: ErrorName;
  /** A sentence for people. */
  message: string;
  /** With status 400: every invalid field. With `job_incomplete`: the missing parts or items. With `feed_changed` and `events_removed`: the end or the start of the feed. With `job_quota_reached`: the quota, its limit and its use. With status 503: whether the request did not arrive in time. */
  details?: Array<{
    /** Path of the field, such as `bet_amounts[1].amount`. */
    field: string;
    reason: string;
    /** The value for programs, such as the `last_sequence` of `feed_changed`. */
    value?: string;
  }>;
}
