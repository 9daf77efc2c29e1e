// Classifies the errors of PostgreSQL, of the driver and of the operating system.

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/**
 * unique_violation, serialization_failure, deadlock_detected: another server was first; the same work may succeed now.
 */
const lostRaceCodes = new Set(['23505', '40001', '40P01']);

/** Detected by this service: the loaded rows are inconsistent, because another server changed them meanwhile. */
export class LostRace extends Error {}

// A node of a Citus cluster may relay the error of another node without its code. Then only the message identifies it:
// it is in English for every locale of the database, or at least begins in English.
const relayedMessage = (error: unknown): string | undefined =>
  error instanceof Error && codeOf(error) === 'XX000' ? error.message : undefined;
const lostRaceMessages = /^(duplicate key value violates|could not serialize access|deadlock detected)/;

export const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace ||
  lostRaceCodes.has(codeOf(error) ?? '') ||
  lostRaceMessages.test(relayedMessage(error) ?? '');

/** Another transaction held a lock for longer than the lock timeout. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error) === '55P03' || /^canceling statement due to lock timeout/.test(relayedMessage(error) ?? '');

/**
 * The partner of the row that violates a constraint; undefined if the error names none. Every key and every row begins
 * with the partner.
 */
export function partnerIn(error: unknown): number | undefined {
  const { detail } = (error ?? {}) as { detail?: string };
  const [, ofKey, ofRow] = /^Key \(client_id[^)]*\)=\((\d+)|^Failing row contains \((\d+),/.exec(detail ?? '') ?? [];
  const found = ofKey ?? ofRow;
  return found === undefined ? undefined : Number(found);
}

/** invalid_parameter_value, such as a time zone that this database does not know. */
export const isInvalidParameter = (error: unknown): boolean => codeOf(error) === '22023';

// Connection lost or refused (08), resources exhausted (53), shutdown or statement cancelled (57), lock timeout, a
// standby after a failover, a transaction that was ended because it was idle or took too long.
const unavailableCodes = /^(08|53|57)|^(55P03|25P03|25P04|25006)$/;

const connectingFaults = new WeakSet<Error>();

/**
 * Any error during connecting makes the database unavailable: a wrong password, a missing role, a database that allows
 * no connections.
 */
export function noteConnectingFault(error: Error): void {
  connectingFaults.add(error);
}

/** Errors of files, which the server and the commands also read and write, don't come from the database. */
const isFileError = (error: Error): boolean => 'path' in error;

/** An error of the operating system. EPIPE has five capitals like an SQLSTATE, but no SQLSTATE begins with E. */
const isSystemError = (error: Error): boolean =>
  'syscall' in error || error instanceof AggregateError || /^E[A-Z]+$/.test((error as { code?: string }).code ?? '');

/** The driver's messages when a connection ends, is refused or does not respond. */
const unavailableMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout exceeded|timeout expired)/;

/** What a node reports when another node is down, shutting down or starting up. */
const unavailableNodeMessages = new RegExp(
  [
    '^failure on connection marked as essential',
    '^could not (connect|establish|send|receive|find any healthy)',
    '^(server closed the connection|terminating connection|connection (to the remote node|not open|is lost|was closed|refused))',
    'postmaster was shut down|the database system is (shutting down|starting up|in recovery)|no connection to the server',
    '^canceling statement due to (lock|statement|user) ',
  ].join('|'),
);

const accessRevokedCodes = /^28|^(3D000|42501|55000|25006)$/;

/**
 * A new connection was rejected because of its password, role or database, or could not write. The same then holds for
 * open connections. Other reasons, such as no free connection, an unknown host or a timeout, say nothing about open
 * connections.
 */
export const isAccessRevoked = (error: Error): boolean => accessRevokedCodes.test(codeOf(error) ?? '');

/** The role lacks the privileges for a statement. */
export const isPermissionDenied = (error: unknown): error is Error =>
  error instanceof Error && codeOf(error) === '42501';

/** The database could not do the work now, for reasons unrelated to the work. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError || isFileError(error)) {
    return false;
  }
  if (isSystemError(error) || connectingFaults.has(error)) return true;
  const code = codeOf(error);
  const words = relayedMessage(error);
  if (words !== undefined) return unavailableNodeMessages.test(words);
  if (code !== undefined) return unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}

/** For the log. An error without a code has its message as the code, and the reverse. */
export const causeOf = ({ message, code = message }: Error & { code?: string }) => ({ code, reason: message || code });
