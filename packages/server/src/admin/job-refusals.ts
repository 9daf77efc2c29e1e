import { stat } from 'node:fs/promises';
import type { JobRefusal } from '@freebets/contract';
import { csvText } from '@freebets/contract/csv';
import { Failure } from '../primitives/failure.ts';
import { requireWritable, writeWhole } from './whole-file.ts';

// The items that a job was refused, one line each: as CSV, or as NDJSON for programs.

/** The line of the list on which an item stands, where the list is at hand. */
type LineOf = (part: number, item: number) => number;

export async function* refusalLines(
  refusals: AsyncIterable<JobRefusal>,
  isNdjson: boolean,
  lineOf?: LineOf,
): AsyncGenerator<string> {
  const about = ['part', 'item', 'player_id', 'issue_id', 'code', 'error', 'message', 'details'];
  const columns = [...about, 'currency', 'bet_amount', 'quantity'];
  if (!isNdjson) yield csvLine(lineOf === undefined ? columns : ['line', ...columns]);
  for await (const refusal of refusals) {
    const line = lineOf?.(refusal.part, refusal.item);
    if (isNdjson) yield `${JSON.stringify({ ...(line !== undefined && { line }), ...refusal })}\n`;
    else yield csvLine([...(line === undefined ? [] : [String(line)]), ...cellsOf(refusal)]);
  }
}

function cellsOf({ part, item, player_id, issue_id, error, ...gets }: JobRefusal): string[] {
  const { currency = '', bet_amount = '', quantity = '' } = gets;
  const details = (error.details ?? []).map(({ field, reason }) => `${field} ${reason}`).join('; ');
  const why = [String(error.code), error.error, error.message, details];
  return [String(part), String(item), player_id, issue_id, ...why, currency, bet_amount, String(quantity)];
}

/** Every item is as it was sent, so that the file can be a list again. */
const csvLine = (cells: string[]): string => `${cells.map(csvText).join(',')}\n`;

/** As NDJSON where the name of the file ends so; how many there are. */
export async function writeRefusals(
  path: string,
  refusals: AsyncIterable<JobRefusal>,
  signal: AbortSignal,
  lineOf?: LineOf,
): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const refusal of refusals) {
      count += 1;
      yield refusal;
    }
  }
  await writeWhole(path, refusalLines(counted(), /\.(ndjson|jsonl)$/i.test(path), lineOf), signal);
  return count;
}

/** Whether they can be written to this file, when the list is another. */
export async function requireWritableBeside(path: string, listPath: string): Promise<void> {
  const [found, list] = await Promise.all([statusOf(path), statusOf(listPath)]);
  if (found !== undefined && found.dev === list?.dev && found.ino === list.ino) {
    throw new Failure(`${path} is the list itself: name another file for what is refused.`);
  }
  await requireWritable(path);
}

const statusOf = (path: string) => stat(path, { bigint: true }).catch(() => undefined);
