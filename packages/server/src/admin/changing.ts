import { type ErrorName, type FieldError, isValid, Reason } from '@freebets/contract';
import { Refused } from '../audit/change.ts';
import type { Attribution } from '../audit/entry.ts';
import type { Config } from '../ops/config.ts';
import { withDatabase } from '../ops/database.ts';
import type { SecretContext } from '../partners/callers/secrets.ts';
import { Failure } from '../primitives/failure.ts';

// Commands that change something do it as the console does, and it is recorded as theirs.

/** Of every command that changes something. */
export interface WithReason {
  reason?: string | undefined;
}

/** The action is the name of the operation that does the same at the console. */
export function asCommand(action: string, { reason }: WithReason): Attribution {
  if (reason !== undefined && !isValid(Reason, reason)) {
    throw new Failure('A reason has 3 to 500 characters, all of which can be seen: --reason "…".');
  }
  return { actor: { kind: 'cli' }, action, address: null, requestId: null, reason: reason ?? null };
}

/** What is said where a change is refused; of others than these, the sentence of the table of errors. */
export type Sentences = Partial<Record<ErrorName, string | ((details: FieldError[]) => string)>>;

export function changing<T>(
  config: Config,
  by: Attribution,
  work: (context: SecretContext) => Promise<T>,
  sentences: Sentences,
  options: { anyMasterKey?: boolean } = {},
): Promise<T> {
  return withDatabase(
    config,
    ({ pool, masterKey }) =>
      work({ pool, masterKey, by }).catch((error: unknown) => {
        throw error instanceof Refused ? new Failure(sentenceOf(error, sentences)) : error;
      }),
    options,
  );
}

function sentenceOf({ refusal: { error, details = [] }, message }: Refused, sentences: Sentences): string {
  const sentence = sentences[error] ?? message;
  return typeof sentence === 'string' ? sentence : sentence(details);
}

/** The reason that the change gave, as a sentence. */
export function asSentence([detail]: readonly FieldError[]): string {
  // An address or a number stays as it is written.
  return `${detail?.reason.replace(/^[a-z]+ /, (word) => word[0]?.toUpperCase() + word.slice(1))}.`;
}
