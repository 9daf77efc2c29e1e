import type { CampaignGetResponse } from './campaigns.ts';
import type { Event } from './events.ts';
import type { Least } from './roles.ts';

// What pages of the console are sent while it happens, as server-sent events: a GET with the cookie of the session, and
// `?client_id=` for one partner alone. A client that reconnects with `Last-Event-ID` is first sent `reset`.

export const live = { path: '/Live', staff: ['viewer'] } as const satisfies { path: string; staff: Least };

/** By the names that the messages have. */
export interface LiveMessages {
  /** Something happened to a partner: the newest of it in brief, and how much it was. */
  happened: { client_id: number; count: number; events: LiveEvent[] };
  /** How campaigns stand that something happened to; at most every second. */
  figures: { client_id: number; campaigns: LiveFigures[] };
  /** Somebody of the staff, or the command line, changed something; of no partner where `client_id` is null. */
  changed: { client_id: number | null; changes: LiveChange[] };
  /** Messages were missed: the client must read again everything that it shows. */
  reset: Record<never, never>;
  /** Nothing has happened; every 15 seconds, and at the beginning. */
  ping: Record<never, never>;
}

export interface LiveEvent {
  sequence: number;
  type: Event['type'];
  occurred_at: string;
  campaign_id: string | null;
  issue_id: string | null;
  player_id: string | null;
  job_id: string | null;
}

export type LiveFigures = Pick<CampaignGetResponse, 'campaign_id' | 'status' | 'counts' | 'winnings' | 'exposure'>;

export interface LiveChange {
  at: string;
  action: string;
  target: { kind: string; id: string };
}
