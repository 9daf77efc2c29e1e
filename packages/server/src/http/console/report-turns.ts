import type { Pool } from 'pg';
import { Refused } from '../../changes/change.ts';
import { Download, type StaffCall } from './call.ts';
import { readInTime } from './read-in-time.ts';

// What takes long has few connections, and turns at them: nobody has all, and who would have to wait for too long is refused.

/** After so long a file that nobody reads on is broken off, so that its turn is free for others. */
export const filePatienceMs = 30_000;

export async function inReportTurn<T>(
  { services: { reportPool, reportTurns }, person }: StaffCall,
  read: (pool: Pool) => Promise<T>,
): Promise<T> {
  const taken = await reportTurns.take(person?.staff_id ?? '', async () => ({ answer: await read(reportPool) }));
  if (taken === undefined) throw new Refused('unavailable');
  return taken.answer;
}

/** A file has its turn until it is read to its end, or broken off. */
export function fileInReportTurn(
  call: StaffCall,
  name: string,
  prepare: (pool: Pool) => Promise<AsyncGenerator<string>>,
): Promise<Download> {
  const begun = Promise.withResolvers<Download>();
  const sendInTurn = async (pool: Pool) => {
    const { chunks, over } = readInTime(await prepare(pool), filePatienceMs);
    begun.resolve(new Download(name, chunks));
    await over;
  };
  inReportTurn(call, sendInTurn).catch(begun.reject);
  return begun.promise;
}
