import type { ErrorName, OperationName } from '@freebets/contract';
import type { Logger } from 'pino';
import type { LiveServices } from '../events/live/api.ts';
import type { SessionLookup } from '../people/api/sessions.ts';
import type { SingleSignOnServices } from '../people/api/single-sign-on.ts';
import type { Networks } from '../primitives/networks.ts';
import type { RateLimiter } from '../primitives/rate-limit.ts';
import type { Access, Caller } from './authentication.ts';
import type { HandlerServices } from './handlers.ts';

/** The services that the pipeline and the pages need. */
export interface EdgeServices {
  publicUrl(): string;
  version: string;
  /** Requests per second and burst of each caller; a limit of 0 means no limit. */
  rate: { limit: number; burst: number };
  /** The same for items of batches and of parts of jobs. */
  itemRate: { limit: number; burst: number };
  /** Each caller has one bucket. Undefined if there is no limit. */
  openLimiter(limit: number, burst: number): RateLimiter | undefined;
  /** Limits of the resources that callers may use in this process. */
  limits: EdgeLimits;
  /** The proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: Networks | undefined;
  log: Logger & RequestLog;
  /** Reports a failure, with the id of its request if there is one. */
  onFault(error: unknown, requestId?: string): void;
  /** Undefined if the caller may not call. */
  accessOf(caller: Caller): Access | undefined;
  /** Includes disabled callers. */
  callerExists(caller: Caller): boolean;
  catalogue(): { imageAssets(): { base_url: string } };
  /** An SVG; undefined if there is no such game or shape. */
  picture(gameId: string, shape: string): string | undefined;
  isDraining(): boolean;
  observe: RequestObserver;
  /** Counts items of a batch that were refused with this error in a response with status 200. */
  observeRefusedItems(operation: OperationName, error: string, count: number): void;
  /** Counts callers and bytes dropped because a limit of the whole process was reached. */
  observeDrop(what: 'connection' | 'body' | 'answer'): void;
}

/** The services that `buildApp` needs, for the edge and all operations. */
export type AllServices = EdgeServices & HandlerServices & SessionLookup & LiveServices & SingleSignOnServices;

export interface EdgeLimits {
  connections: number;
  /** How long a body may wait for its check. */
  deadlineMs: number;
  /** Time for a request to arrive, and for a response to be read. */
  timeoutMs: number;
  bodyBytes: number;
  answerBytes: number;
}

export interface RequestLog {
  request(members: string): void;
}

/** The error is a name from the table of errors, or empty for a success. */
export type RequestObserver = (operation: string, status: number, seconds: number, error: ErrorName | '') => void;
