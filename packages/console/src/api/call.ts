import type {
  ErrorBody,
  ErrorName,
  FieldError,
  OperationName,
  RequestOf,
  ResponseOf,
  StaffOperationName,
  StaffRequestOf,
  StaffResponseOf,
} from '@freebets/contract';
import { paths, staffPaths } from '@freebets/contract/paths';
import { type Least, may, type Role } from '@freebets/contract/roles';

/** Where the console lives, such as `/console` or `/promo/console`: the server writes it into the page. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '');

/** Where operations are. */
export const apiPath = `${basePath}/api`;

// An open page asks again by itself, as things happen. A session must end all the same when nobody is at it any more: whether
// somebody is, shows in what they do with mouse, keys or fingers.

const patienceMs = 60_000;
let latest = Date.now();

for (const act of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(act, () => (latest = Date.now()), { passive: true, capture: true });
}

const isAttended = (): boolean => Date.now() - latest < patienceMs;

// One typed call for every operation of the table, those of partners and those of the staff alone.

export type CallName = OperationName | StaffOperationName;
type BodyOf<N extends CallName> = N extends OperationName
  ? RequestOf<N>
  : N extends StaffOperationName
    ? StaffRequestOf<N>
    : never;
export type AnswerOf<N extends CallName> = N extends OperationName
  ? ResponseOf<N>
  : N extends StaffOperationName
    ? StaffResponseOf<N>
    : never;
/** Where something is changed, the reason goes with it. */
export type Asked<N extends CallName> = BodyOf<N> & { reason?: string };

const rows: Record<CallName, { path: string; staff: Least | null }> = { ...paths, ...staffPaths };

/** What the button asks is what the server asks. */
export const isAllowed = (role: Role, name: CallName): boolean => {
  const { staff } = rows[name];
  return staff !== null && may(role, staff);
};

/** What the server answered instead, in the words of its table of errors. */
export class CallError extends Error {
  readonly error: ErrorName | 'unreachable';
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: FieldError[];
  constructor(status: number, body: Partial<ErrorBody> & { error: string; message: string }) {
    super(body.message);
    this.status = status;
    this.error = body.error as ErrorName;
    this.requestId = body.request_id;
    this.details = body.details ?? [];
  }
}

/** Only what may be better the next time is tried again. */
export const mayPass = (error: unknown): boolean => error instanceof CallError && [0, 429, 503].includes(error.status);

const unreachable = { error: 'unreachable', message: 'The server cannot be reached. Your connection may be gone.' };

/** Also where an answer breaks off, or is not the server's own but that of something on the way to it. */
function notReached(error: Error): never {
  if (error.name === 'AbortError') throw error;
  throw new CallError(0, unreachable);
}

export const isNotSignedIn = (error: unknown): boolean => error instanceof CallError && error.error === 'not_signed_in';

/** The request is pending until another admin confirms it. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof CallError && error.error === 'confirmation_needed';

/** Whom this page takes to be signed in; another window of the browser may have signed in somebody else. */
let signedInAs: string | undefined;
export const actAs = (staffId: string | undefined): void => {
  signedInAs = staffId;
};

let isLoadingAnew = false;
/** Whether the page asks before it is left: not where what is held is for somebody else's eyes. */
export const asksBeforeUnload = (isHeld: boolean): boolean => isHeld && !isLoadingAnew;

/** Nothing that somebody held here is for who is signed in now, and nobody who came after is signed out. */
export function loadAnew(): void {
  isLoadingAnew = true;
  document.documentElement.hidden = true;
  if (location.pathname === `${basePath}/sign-out`) location.replace(`${basePath}/`);
  else location.reload();
}

async function send(name: CallName, body: unknown, signal?: AbortSignal): Promise<Response> {
  const sent = await fetch(apiPath + rows[name].path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(!isAttended() && { 'x-unattended': 'yes' }),
      ...(signedInAs && { 'x-signed-in-as': signedInAs }),
    },
    body: JSON.stringify(body),
    credentials: 'same-origin',
    ...(signal && { signal }),
  }).catch(notReached);
  if (sent.ok) return sent;
  const refusal = new CallError(sent.status, await sent.json().catch(notReached));
  if (refusal.error === 'another_signed_in') loadAnew();
  throw refusal;
}

export async function call<N extends CallName>(name: N, body: Asked<N>, signal?: AbortSignal): Promise<AnswerOf<N>> {
  const answer = await send(name, body, signal);
  return (await answer.json().catch(notReached)) as AnswerOf<N>;
}

/** An answer that is a file: the browser saves it under the name that the server gives it. */
export async function download<N extends CallName>(name: N, body: Asked<N>): Promise<void> {
  const answer = await send(name, body);
  const [, file = 'download'] = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
