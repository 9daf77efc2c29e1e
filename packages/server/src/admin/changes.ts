import {
  ClientId,
  Currency,
  Email,
  type ErrorName,
  type FieldError,
  isValid,
  Name,
  PersonName,
  ProviderId,
  Reason,
} from '@freebets/contract';
import { Refused } from '../audit/change.ts';
import type { Attribution } from '../audit/entry.ts';
import type { Config } from '../ops/config.ts';
import { withDatabase } from '../ops/database.ts';
import type { SecretContext } from '../partners/callers/secrets.ts';
import { Failure } from '../primitives/failure.ts';

// Commands make changes through the same functions as the console. The audit log names the command line as the actor.

/** An option of every command that changes something. */
export interface WithReason {
  reason?: string | undefined;
}

/** `action` is the name of the console operation that makes the same change. */
export function cliAttribution(action: string, { reason }: WithReason): Attribution {
  if (reason !== undefined && !isValid(Reason, reason)) {
    throw new Failure('The reason must have 3 to 500 printable characters: --reason "…".');
  }
  return { actor: { kind: 'cli' }, action, address: null, requestId: null, reason: reason ?? null };
}

/** Messages for refused changes. An error without an entry here keeps its message from the error table. */
export type RefusalMessages = Partial<Record<ErrorName, string | ((details: FieldError[]) => string)>>;

export function runChange<T>(
  config: Config,
  by: Attribution,
  work: (context: SecretContext) => Promise<T>,
  messages: RefusalMessages,
  options: { anyMasterKey?: boolean } = {},
): Promise<T> {
  return withDatabase(
    config,
    ({ pool, masterKey }) =>
      work({ pool, masterKey, by }).catch((error: unknown) => {
        throw error instanceof Refused ? new Failure(refusalMessage(error, messages)) : error;
      }),
    options,
  );
}

function refusalMessage({ refusal: { error, details = [] }, message }: Refused, messages: RefusalMessages): string {
  const sentence = messages[error] ?? message;
  return typeof sentence === 'string' ? sentence : sentence(details);
}

/** The reason in the error's details, as a sentence. */
export function reasonMessage([detail]: readonly FieldError[]): string {
  // Capitalizes a plain word only, so that an address or a number stays unchanged.
  return `${detail?.reason.replace(/^[a-z]+ /, (word) => word[0]?.toUpperCase() + word.slice(1))}.`;
}

// Reads IDs, names and currencies from arguments. They follow the same rules as in API requests.

const { minimum, maximum } = ClientId as object as { minimum: number; maximum: number };

export function parseClientId(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isValid(ClientId, id)) return id;
  throw new Failure(`CLIENT_ID must be a whole number from ${minimum} to ${maximum}.`);
}

export function parseProviderId(text: string): string {
  if (isValid(ProviderId, text)) return text;
  throw new Failure('PROVIDER_ID must have 1 to 64 characters (a-z, 0-9 or -) and begin with a letter or digit.');
}

/** Reads a comma-separated list. */
export function parseCurrencies(text: string): string[] {
  const codes = [...new Set(text.split(',').map((code) => code.trim()))];
  if (codes.every((code) => isValid(Currency, code))) return codes;
  throw new Failure('Currencies must be codes separated by commas: --currencies EUR,USD.');
}

/** Input that is not UTF-8 arrives with U+FFFD in place of its characters. */
const isLegible = (text: string): boolean => !text.includes('\ufffd');

export function parseName(text: string): string {
  if (isValid(Name, text) && isLegible(text)) return text;
  throw new Failure('The name must have 1 to 128 printable characters in UTF-8: --name "…".');
}

export function parseEmail(text: string): string {
  if (isValid(Email, text)) return text;
  throw new Failure(`EMAIL must be an email address such as name@example.com.`);
}

export function parsePersonName(text: string): string {
  if (isValid(PersonName, text) && isLegible(text)) return text;
  throw new Failure('The name of a person must have 1 to 128 printable characters in UTF-8: --name "…".');
}
