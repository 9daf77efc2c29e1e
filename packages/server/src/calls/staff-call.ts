import type { SystemGetResponse } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Provider } from '../partners/callers/sql/providers.ts';
import type { ImageAssets, StoredGame } from '../partners/catalogue/sql.ts';
import type { AttemptServices } from '../people/attempt.ts';
import type { OpenIdProvider } from '../people/openid.ts';
import type { SessionRules } from '../people/sessions.ts';
import type { TokenCheck } from '../people/tokens.ts';
import type { ConsoleTurns } from '../people/turns.ts';
import type { Signal } from '../primitives/signal.ts';
import type { Exposure } from '../reports/exposure.ts';
import type { Chosen } from './chosen.ts';
import type { ReadTurns } from './read-turns.ts';
import type { Services } from './services.ts';

/** The games as this server knows them. */
export interface CatalogueView {
  /** In the order of the catalogue. */
  games: readonly StoredGame[];
  providerOf(providerId: string): Provider | undefined;
  /** The providers that a partner is offered. */
  offersOf(clientId: number): readonly string[];
  imageAssets(): ImageAssets;
}

/** Those of a person, or the one with a token. */
export interface EndedSessions {
  staffId?: string;
  token?: string | undefined;
}

/** What the console needs beside what the operations of partners need. */
export interface ConsoleServices extends Services, ConsoleTurns {
  /** Connections of its own: what people ask for never waits behind what machines do, and they never wait behind people. */
  consolePool: Pool;
  masterKey: AttemptServices['masterKey'];
  catalogue(): CatalogueView;
  /** Resolves when this server goes by what was changed before, of what it keeps in memory. */
  followChanges(): Promise<void>;
  sessionRules: SessionRules;
  tokens: TokenCheck;
  /** Whether events may be sent to addresses that are not public. */
  arePrivateAddressesAllowed: boolean;
  /** Whether a second admin must confirm what gives approval rights or shows a secret. */
  isConfirmationNeeded: boolean;
  /** Counts such changes. */
  observePower(operation: string, isConfirmed: boolean): void;
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
  /** The provider of single sign-on, where there is one. */
  openId: OpenIdProvider | undefined;
  /** Anybody can sign in as an admin of the demo. */
  isForTrying(): Promise<boolean>;
  /** For what takes long: reports, files, checks of the record. Only who has a turn uses it. */
  reportPool: Pool;
  reportTurns: ReadTurns;
  fileTurns: ReadTurns;
  /** What open bets could still win, of whom it is wanted. Only who has a turn at reports asks. */
  readExposure(wanted: Chosen): Promise<Exposure[]>;
  /** How the service is doing. */
  readSystem(): Promise<SystemGetResponse>;
  /** Sessions may have ended by what this server did. */
  sessionsEnded: Pick<Signal<[EndedSessions]>, 'subscribe' | 'emit'>;
  /** This server has committed something of a partner, of which there may be events. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe' | 'emit'>;
}
