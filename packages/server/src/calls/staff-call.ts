import type { IncomingHttpHeaders } from 'node:http';
import type { StaffOperationName, StaffRequestOf, StaffResponseOf, SystemGetResponse } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Attribution } from '../audit/entry.ts';
import type { CookieOptions } from '../edge/staff/cookie.ts';
import type { Provider } from '../partners/callers/sql/providers.ts';
import type { ImageAssets, StoredGame } from '../partners/catalogue/sql.ts';
import type { AttemptServices } from '../people/attempt.ts';
import type { OpenIdProvider } from '../people/openid.ts';
import type { SessionRules, SignedIn } from '../people/sessions.ts';
import type { TokenCheck } from '../people/tokens.ts';
import type { ConsoleTurns } from '../people/turns.ts';
import type { Outcome } from '../primitives/outcome.ts';
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

/** One request of somebody of the staff, whose role and scope allow it. */
export interface StaffCall {
  services: ConsoleServices;
  /** Undefined only where anybody may call. */
  person: SignedIn | undefined;
  /** The body, without the reason. */
  request: object;
  /** For what it changes; its actor is somebody only where somebody is signed in. */
  by: Attribution;
  headers: IncomingHttpHeaders;
  /** The token of the session, as the browser sent it. */
  token: string | undefined;
  /** The browser has this session from here on; null ends the one it has. */
  setSession(token: string | null): void;
  cookies: Cookies;
}

export interface Cookies {
  get(name: string): string | undefined;
  set(name: string, value: string, options: CookieOptions): void;
}

/** An answer that is sent while it is made. */
export class Download {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
  constructor(name: string, pieces: AsyncIterable<Buffer>) {
    this.name = name;
    this.pieces = pieces;
  }
}

export type StaffHandler<N extends StaffOperationName> = (
  call: StaffCall,
  body: StaffRequestOf<N>,
) => Promise<Outcome<StaffResponseOf<N>> | Download>;

export type StaffHandlers<N extends StaffOperationName> = { [K in N]: StaffHandler<K> };
