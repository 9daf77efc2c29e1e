import type { Pool } from 'pg';
import { Refused } from '../audit/change.ts';
import { findActiveSessions } from '../audit/sql.ts';
import { ask } from '../engine/statement.ts';
import { Download, pieceBytes, type StaffCall } from './call.ts';
import type { FairQueue } from './fair-queue.ts';
import { withReadTimeout } from './read-timeout.ts';
import { signedIn } from './signed-in.ts';

// Slow reads of staff share a few connections in turn, so that one person cannot take all of them. Files have separate
// turns: a file lasts as long as its reader takes, and reports on screens must not wait for that.

export interface ReportServices {
  consolePool: Pool;
  /** For reports, files and checks of the audit log, each within its turn. */
  reportPool: Pool;
  reportTurns: FairQueue;
}

export interface FileServices {
  reportPool: Pool;
  fileTurns: FairQueue;
}

/** A file whose reader stops for this long is aborted, so that its turn ends. */
const filePatienceMs = 30_000;

/**
 * Checks the session again afterwards: the wait may be long. A file needs no second check, because its export is
 * recorded first.
 */
export async function inReportTurn<T>(call: StaffCall<ReportServices>, read: (pool: Pool) => Promise<T>): Promise<T> {
  const { services, person } = call;
  const found = await inTurn(services.reportTurns, call, read);
  const sessions = await ask(services.consolePool, findActiveSessions([signedIn(person).sessionId]));
  if (sessions.size === 0) throw new Refused('not_signed_in');
  return found;
}

async function inTurn<T>(
  turns: FairQueue,
  { services: { reportPool }, person }: StaffCall<{ reportPool: Pool }>,
  read: (pool: Pool) => Promise<T>,
): Promise<T> {
  const taken = await turns.take(person?.staff_id ?? '', async () => ({ answer: await read(reportPool) }));
  if (taken === undefined) throw new Refused('unavailable');
  return taken.answer;
}

/** The turn of a file ends when it has been read or aborted. */
export function fileInTurn(
  call: StaffCall<FileServices>,
  name: string,
  prepare: (pool: Pool) => Promise<AsyncGenerator<string>>,
): Promise<Download> {
  const begun = Promise.withResolvers<Download>();
  const sendInTurn = async (pool: Pool) => {
    const { chunks, over } = withReadTimeout(inPieces(await prepare(pool)), filePatienceMs);
    begun.resolve(new Download(name, chunks));
    await over;
  };
  inTurn(call.services.fileTurns, call, sendInTurn).catch(begun.reject);
  return begun.promise;
}

/** Copies, so that a piece waiting in a connection does not keep the whole chunk in memory. */
async function* inPieces(chunks: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    for (let at = 0; at < bytes.length; at += pieceBytes) yield Buffer.from(bytes.subarray(at, at + pieceBytes));
  }
}
