import type { KeyObject } from 'node:crypto';
import type { ErrorName } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { PartnerProfile } from '../domain/working-set.ts';
import type { Lanes } from '../lanes/lanes.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import type { ReadTurns } from './read-turns.ts';

/** What the edge needs of the rest of the house; the program that starts the server brings it all together. */
export interface Services {
  publicUrl(): string;
  version: string;
  /** Requests a second and burst for each caller; a limit of 0 means none. */
  rate: { limit: number; burst: number };
  /** What callers may take up of this process. */
  limits: EdgeLimits;
  log: Logger & RequestLog;
  lanes: Lanes;
  reads: Pool;
  definitions: CampaignDefinitions;
  signingKeysOf(caller: Caller): readonly KeyObject[] | undefined;
  /** Whether it may call or not. */
  callerExists(caller: Caller): boolean;
  readTurns: ReadTurns;
  /** Who may add a part to a job now: one may be a mebibyte, and it takes longer than other commands. */
  partTurns: ReadTurns;
  partnerProfile(clientId: number): PartnerProfile;
  gameList(clientId: number): Promise<{ etag: string; plain: Buffer; gzip: Buffer }>;
  /** An SVG, or undefined where there is no such game or shape. */
  picture(gameId: string, shape: string): string | undefined;
  isDraining(): boolean;
  isDatabaseUp(): boolean;
  observe: RequestObserver;
}

export type Caller = { kind: 'client_id'; id: number } | { kind: 'provider_id'; id: string };

export interface EdgeLimits {
  connections: number;
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
