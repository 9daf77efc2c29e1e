import type { IncomingHttpHeaders } from 'node:http';
import type {
  OperationName,
  RequestOf,
  ResponseOf,
  StaffOperationName,
  StaffRequestOf,
  StaffResponseOf,
} from '@freebets/contract';
import type { Attribution } from '../audit/entry.ts';
import type { Outcome } from '../primitives/outcome.ts';
import type { Slice } from './fair-work.ts';
import type { SignedIn } from './signed-in.ts';

// What the handler of an operation is given and returns. A handler declares the services it needs as `S`.

/** A request whose caller, schema and limits have been checked. */
export interface Call<S> {
  services: S;
  headers: IncomingHttpHeaders;
  /** Identifies the caller where callers take turns. */
  caller: string;
  /** The processor time that the request may take before other requests have their turn. */
  slice: Slice;
  /** The staff member who makes a partner's request; undefined for partners and game providers. */
  by: Attribution | undefined;
}

/** Staff sign in, so that the session, and not the signature, says who calls. */
export interface StaffCall<S> extends Call<S> {
  /** For the audit records of this request. The actor is a staff member only if one is signed in. */
  by: Attribution;
  /** Undefined if the operation needs no session. */
  person: SignedIn | undefined;
  /** The body without the reason. */
  request: object;
  /** The session token in the request's cookie. */
  token: string | undefined;
  /** Starts this session in the browser; null ends the current one. */
  setSession(token: string | null): void;
  cookies: Cookies;
}

export interface Cookies {
  get(name: string): string | undefined;
  set(name: string, value: string, options: CookieOptions): void;
}

export interface CookieOptions {
  path: '/';
  httpOnly: true;
  secure: boolean;
  sameSite: 'lax';
  expires?: Date;
  maxAge?: number;
}

/** A response whose bytes are ready. */
export class Rendered {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  constructor(status: number, headers: Record<string, string>, bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }
}

/** Long responses are sent in pieces of this size, so that few bytes wait inside Node.js. */
export const pieceBytes = 64 * 1024;

/** A response that is sent while it is generated. */
export class Download {
  readonly name: string;
  readonly pieces: AsyncIterable<Buffer>;
  constructor(name: string, pieces: AsyncIterable<Buffer>) {
    this.name = name;
    this.pieces = pieces;
  }
}

export type Handler<N extends OperationName, S> = (
  call: Call<S>,
  body: RequestOf<N>,
) => Promise<Outcome<ResponseOf<N>> | Rendered>;

export type StaffHandler<N extends StaffOperationName, S> = (
  call: StaffCall<S>,
  body: StaffRequestOf<N>,
) => Promise<Outcome<StaffResponseOf<N>> | Download>;

/** The handlers of a slice by the names of their operations. */
export type Handlers<N extends OperationName | StaffOperationName, S> = {
  [K in N]: K extends OperationName ? Handler<K, S> : K extends StaffOperationName ? StaffHandler<K, S> : never;
};

/** For operations whose items count against the rate of items. */
export interface Batch<S> {
  /** The most items of a request. */
  items: number;
  /** Whether the service would accept this many items now. */
  hasRoom(services: S, from: { clientId: number; caller: string }, items: number): boolean;
  /** The handler ends the slice itself. */
  endsSlice?: boolean;
}
