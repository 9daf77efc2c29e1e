import type { Pool } from 'pg';
import { Refused } from '../audit/change.ts';
import { isSessionThere } from '../people/sql/sessions.ts';
import { Download, pieceBytes, type StaffCall } from './call.ts';
import { readInTime } from './read-in-time.ts';
import type { ReadTurns } from './read-turns.ts';
import { signedIn } from './signed-in.ts';

// What takes long has few connections, and turns at them: nobody has all, and who would have to wait for too long is refused. Files
// have turns of their own, whatever is in them: they last for as long as their readers take, and what is shown must not wait for that.

/** After so long a file of which nobody takes the next piece is broken off, so that its turn is free for others. */
const filePatienceMs = 30_000;

/** It waits for its turn, and takes long: who was shut out meanwhile is not answered. What becomes a file is recorded first, and so refused as well. */
export async function inReportTurn<T>(call: StaffCall, read: (pool: Pool) => Promise<T>): Promise<T> {
  const { services, person } = call;
  const found = await inTurn(services.reportTurns, call, read);
  if (!(await isSessionThere(services.consolePool, signedIn(person).sessionId))) throw new Refused('not_signed_in');
  return found;
}

async function inTurn<T>(
  turns: ReadTurns,
  { services: { reportPool }, person }: StaffCall,
  read: (pool: Pool) => Promise<T>,
): Promise<T> {
  const taken = await turns.take(person?.staff_id ?? '', async () => ({ answer: await read(reportPool) }));
  if (taken === undefined) throw new Refused('unavailable');
  return taken.answer;
}

/** A file has its turn until it is read to its end, or broken off. */
export function fileInTurn(
  call: StaffCall,
  name: string,
  prepare: (pool: Pool) => Promise<AsyncGenerator<string>>,
): Promise<Download> {
  const begun = Promise.withResolvers<Download>();
  const sendInTurn = async (pool: Pool) => {
    const { chunks, over } = readInTime(inPieces(await prepare(pool)), filePatienceMs);
    begun.resolve(new Download(name, chunks));
    await over;
  };
  inTurn(call.services.fileTurns, call, sendInTurn).catch(begun.reject);
  return begun.promise;
}

/** Copies: one that is kept by a connection must not keep all that was read with it. */
async function* inPieces(chunks: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    for (let at = 0; at < bytes.length; at += pieceBytes) yield Buffer.from(bytes.subarray(at, at + pieceBytes));
  }
}
