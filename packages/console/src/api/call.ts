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

/** The path of the console, such as `/console` or `/promo/console`. The server writes it into the page. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '');

export const apiPath = `${basePath}/api`;

// An open page sends requests on its own. An idle session must still end, so requests without recent mouse, keyboard or
// touch input are marked as unattended.

const activeForMs = 60_000;
let lastInputMs = Date.now();

for (const act of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(act, () => (lastInputMs = Date.now()), { passive: true, capture: true });
}

const isUserActive = (): boolean => Date.now() - lastInputMs < activeForMs;

// One typed call for every operation, both partner and staff operations.

export type CallName = OperationName | StaffOperationName;
type BodyOf<N extends CallName> = N extends OperationName
  ? RequestOf<N>
  : N extends StaffOperationName
    ? StaffRequestOf<N>
    : never;
export type CallResponse<N extends CallName> = N extends OperationName
  ? ResponseOf<N>
  : N extends StaffOperationName
    ? StaffResponseOf<N>
    : never;
/** Changes carry a reason. */
export type CallRequest<N extends CallName> = BodyOf<N> & { reason?: string };

const rows: Record<CallName, { path: string; staff: Least | null }> = { ...paths, ...staffPaths };

/** Buttons and the server read the same table of rights. */
export const isAllowed = (role: Role, name: CallName): boolean => {
  const { staff } = rows[name];
  return staff !== null && may(role, staff);
};

/** An error response, with the message of the contract. */
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

/** Whether a retry can succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof CallError && [0, 429, 503].includes(error.status);

const unreachable = { error: 'unreachable', message: 'Cannot reach the server. Check your connection and try again.' };

/** Also for a response that breaks off, or that comes from a proxy instead of the server. */
function throwUnreachable(error: Error): never {
  if (error.name === 'AbortError') throw error;
  throw new CallError(0, unreachable);
}

export const isNotSignedIn = (error: unknown): boolean => error instanceof CallError && error.error === 'not_signed_in';

/** The request is pending until another admin confirms it. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof CallError && error.error === 'confirmation_needed';

/** Who this page thinks is signed in. Another window of the browser can sign in a different user. */
let signedInAs: string | undefined;
export const setSignedInAs = (staffId: string | undefined): void => {
  signedInAs = staffId;
};

let isReloading = false;
/**
 * Whether the browser asks before unload. Not if another user signed in: unsaved work must not stay visible to them.
 */
export const asksBeforeUnload = (isHeld: boolean): boolean => isHeld && !isReloading;

/**
 * Reloads for a different signed-in user: hides the previous user's data at once, and does not sign out the new user.
 */
export function reloadPage(): void {
  isReloading = true;
  document.documentElement.hidden = true;
  if (location.pathname === `${basePath}/sign-out`) location.replace(`${basePath}/`);
  else location.reload();
}

async function send(name: CallName, body: unknown, signal?: AbortSignal): Promise<Response> {
  const sent = await fetch(apiPath + rows[name].path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(!isUserActive() && { 'x-unattended': 'yes' }),
      ...(signedInAs && { 'x-signed-in-as': signedInAs }),
    },
    body: JSON.stringify(body),
    credentials: 'same-origin',
    ...(signal && { signal }),
  }).catch(throwUnreachable);
  if (sent.ok) return sent;
  const refusal = new CallError(sent.status, await sent.json().catch(throwUnreachable));
  if (refusal.error === 'another_signed_in') reloadPage();
  throw refusal;
}

export async function call<N extends CallName>(
  name: N,
  body: CallRequest<N>,
  signal?: AbortSignal,
): Promise<CallResponse<N>> {
  const answer = await send(name, body, signal);
  return (await answer.json().catch(throwUnreachable)) as CallResponse<N>;
}

/** Saves a response that is a file, under the name from the server. */
export async function download<N extends CallName>(name: N, body: CallRequest<N>): Promise<void> {
  const answer = await send(name, body);
  const [, file = 'download'] = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
