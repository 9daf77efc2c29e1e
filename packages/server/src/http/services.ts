import type { KeyObject } from 'node:crypto';
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
  log: Logger;
  lanes: Lanes;
  reads: Pool;
  definitions: CampaignDefinitions;
  signingKeysOf(caller: Caller): readonly KeyObject[] | undefined;
  readTurns: ReadTurns;
  partnerProfile(clientId: number): PartnerProfile;
  gameList(clientId: number): Promise<{ etag: string; plain: Buffer; gzip: Buffer }>;
  /** An SVG, or undefined where there is no such game or shape. */
  picture(gameId: string, shape: string): string | undefined;
  isDraining(): boolean;
  isDatabaseUp(): boolean;
  observe: RequestObserver;
}

export type Caller = { kind: 'client_id'; id: number } | { kind: 'provider_id'; id: string };

export type RequestObserver = (operation: string, status: number, seconds: number) => void;
