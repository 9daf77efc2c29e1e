import type { KeyObject } from 'node:crypto';
import type { ErrorName, OperationName } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { PartnerProfile } from '../partners/profile.ts';
import type { Networks } from '../primitives/networks.ts';
import type { RateLimiter } from '../primitives/rate-limit.ts';
import type { ReadyBytes } from '../primitives/ready-bytes.ts';
import type { Command, Lanes } from '../promo/batch/command.ts';
import type { CampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import type { JobQuota } from '../promo/jobs/job.ts';
import type { ReadTurns } from './read-turns.ts';

/** What the edge needs of the rest of the house; the program that starts the server brings it all together. */
export interface Services {
  publicUrl(): string;
  version: string;
  /** Requests a second and burst for each caller; a limit of 0 means none. */
  rate: { limit: number; burst: number };
  /** The same for items of batches and of parts of jobs. */
  itemRate: { limit: number; burst: number };
  /** Undefined where there is none. Of each caller one, whatever the limit. */
  openLimiter(limit: number, burst: number): RateLimiter | undefined;
  /** What callers may take up of this process. */
  limits: EdgeLimits;
  /** Whose `X-Forwarded-For` is believed; undefined for nobody's. */
  trustedProxies: Networks | undefined;
  log: Logger & RequestLog;
  /** Something failed: nobody expected it, or the database could not do it now. With the id of its request, where it has one. */
  onFault(error: unknown, requestId?: string): void;
  lanes: Lanes;
  /** Throws where whoever gives the commands might not, though the partner might. Undefined for the partner itself. */
  beforeTry?(clientId: number, commands: readonly Command[]): Promise<void>;
  /** Connections to read what is a partner's. */
  readsOf(clientId: number): Pool;
  definitions: CampaignDefinitions;
  /** Undefined when it may not call. */
  accessOf(caller: Caller): Access | undefined;
  /** Whether it may call or not. */
  callerExists(caller: Caller): boolean;
  /** For reads of what is a partner's. */
  readTurnsOf(clientId: number): ReadTurns;
  /** The limits for the unfinished jobs of a partner. */
  jobQuota: JobQuota;
  /** Who may add a part to a job now: one may be a mebibyte, and it takes longer than other commands. */
  partTurns: ReadTurns;
  /** Who may play a round in a sandbox now: one loads and answers all bets of its free bet, of which there may be a thousand. */
  roundTurns: ReadTurns;
  partnerProfile(clientId: number): PartnerProfile;
  gameList(clientId: number): Promise<ReadyBytes>;
  /** An SVG, or undefined where there is no such game or shape. */
  picture(gameId: string, shape: string): string | undefined;
  isDraining(): boolean;
  isDatabaseUp(): boolean;
  observe: RequestObserver;
  /** So many items of a batch were refused with this error, and its request answered with 200. */
  observeRefusedItems(operation: OperationName, error: string, count: number): void;
  /** It gave way to others, because a bound for the whole process was reached. */
  observeDrop(what: 'connection' | 'body' | 'answer'): void;
}

/** What a request of a caller must have. */
export interface Access {
  /** The newest first; none where its secret does not open. */
  keys: readonly KeyObject[];
  /** The signature must cover the time and the path. */
  isStrict: boolean;
  /** From where it may call; undefined for anywhere. */
  allowFrom: Networks | undefined;
}

export type Caller = { kind: 'client_id'; id: number } | { kind: 'provider_id'; id: string };

export interface EdgeLimits {
  connections: number;
  /** How long a body may wait for its check. */
  deadlineMs: number;
  /** For a request to arrive, and for an answer to be read. */
  timeoutMs: number;
  bodyBytes: number;
  answerBytes: number;
}

export interface RequestLog {
  request(members: string): void;
}

/** The error is a word of the table of errors, or empty for a success. */
export type RequestObserver = (operation: string, status: number, seconds: number, error: ErrorName | '') => void;
