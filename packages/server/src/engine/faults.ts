// Which of PostgreSQL's complaints mean what to us.

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/** unique_violation, serialization_failure, deadlock_detected: another server was first; the same work may succeed now. */
const lostRaceCodes = new Set(['23505', '40001', '40P01']);

/** Found out by ourselves: what was loaded does not belong together, because another server was at it meanwhile. */
export class LostRace extends Error {}

// A machine of a Citus cluster may report what another has said without its code: then it is known by its words, which are English
// whatever the locale of the database, or begin so.
const wordsOfAnotherMachine = (error: unknown): string | undefined =>
  error instanceof Error && codeOf(error) === 'XX000' ? error.message : undefined;
const lostRaceMessages = /^(duplicate key value violates|could not serialize access|deadlock detected)/;

export const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace ||
  lostRaceCodes.has(codeOf(error) ?? '') ||
  lostRaceMessages.test(wordsOfAnotherMachine(error) ?? '');

/** Somebody else has held a lock for longer than we wait. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error) === '55P03' || /^canceling statement due to lock timeout/.test(wordsOfAnotherMachine(error) ?? '');

/** invalid_parameter_value: of a time zone that this database does not know. */
export const isInvalidParameter = (error: unknown): boolean => codeOf(error) === '22023';

// Connection lost or refused (08, 57P), resources exhausted (53), lock or statement timed out, a standby after a
// failover, a transaction that was ended for idling or lasting too long. What has no SQLSTATE never reached a verdict at all.
const unavailableCodes = /^(08|53|57)|^(55P03|25P03|25P04|25006)$/;

const ofConnecting = new WeakSet<Error>();

/** Whatever the reason is, nobody is let in: by a wrong password, a role or a database that is not there or takes nobody. */
export function noteConnectingFault(error: Error): void {
  ofConnecting.add(error);
}

/** What the system says of a file, which the server and commands read and write too, is not of the database. */
const isOfFile = (error: Error): boolean => 'path' in error;

/** Of the operating system: EPIPE has five capitals, as an SQLSTATE has, but none of those begins with E. */
const isSystemError = (error: Error): boolean =>
  'syscall' in error || error instanceof AggregateError || /^E[A-Z]+$/.test((error as { code?: string }).code ?? '');

/** What the driver says when a connection ends, is refused, or does not answer. */
const unavailableMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout exceeded|timeout expired)/;

/** What one machine says when another is gone, going, or not there yet. */
const unavailableMachine = new RegExp(
  [
    '^failure on connection marked as essential',
    '^could not (connect|establish|send|receive|find any healthy)',
    '^(server closed the connection|terminating connection|connection (to the remote node|not open|is lost|was closed|refused))',
    'postmaster was shut down|the database system is (shutting down|starting up|in recovery)|no connection to the server',
    '^canceling statement due to (lock|statement|user) ',
  ].join('|'),
);

const shutOutCodes = /^28|^(3D000|42501|55000|25006)$/;

/**
 * The verdict on a connection that was tried, by a password, a role or a database, or that it could not write: it holds for those that are open too.
 * That there is none left, that a name is not known or that it takes long says nothing of them.
 */
export const isShutOut = (error: Error): boolean => shutOutCodes.test(codeOf(error) ?? '');

/** A role without the rights for a statement. */
export const isDenied = (error: unknown): error is Error => error instanceof Error && codeOf(error) === '42501';

/** The database could not do the work now, for reasons that are not in the work. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError || isOfFile(error)) {
    return false;
  }
  if (isSystemError(error) || ofConnecting.has(error)) return true;
  const code = codeOf(error);
  const words = wordsOfAnotherMachine(error);
  if (words !== undefined) return unavailableMachine.test(words);
  if (code !== undefined) return unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}

/** For the log. What has no code has its words for one, and the other way round. */
export const causeOf = ({ message, code = message }: Error & { code?: string }) => ({ code, reason: message || code });
