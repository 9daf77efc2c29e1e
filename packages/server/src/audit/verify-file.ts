import { type ChainCheck, type ChainReport, checkChain } from './chain-check.ts';
import { auditFormat, type ExportEnd, type ExportedLink, type ExportHead } from './export.ts';

// Checks an exported audit log without the database.

export interface FileReport {
  /** Records were left out by the filter. Removed records are then detected only between neighbours. */
  has_gaps: boolean;
  exported_at: string;
  chains: ChainReport[];
  /** Problems of the file as a whole. */
  problems: string[];
}

/** Thrown for a line that does not belong to an export. */
export class NotAnExport extends Error {
  readonly line: number;
  constructor(line: number) {
    super('this is no line of an exported record');
    this.line = line;
  }
}

export async function verifyLines(lines: AsyncIterable<string>): Promise<FileReport> {
  let head: ExportHead | undefined;
  let end: ExportEnd | undefined;
  let number = 0;
  let records = 0;
  const checks = new Map<number, ChainCheck>();
  for await (const text of lines) {
    number += 1;
    const line = parsed(text, number);
    if (head === undefined) {
      if (!isHead(line)) throw new NotAnExport(number);
      head = line;
      for (const { chain, length } of head.chains) {
        checks.set(chain, checkChain({ chain, length, hasGaps: head.has_gaps }));
      }
    } else if (isEnd(line) && end === undefined) end = line;
    else if (isLink(line) && end === undefined) {
      records += 1;
      addTo(checks, line, number);
    } else throw new NotAnExport(number);
  }
  if (head === undefined) throw new NotAnExport(1);
  return reportOf(head, checks, end, records);
}

function addTo(checks: Map<number, ChainCheck>, link: ExportedLink, number: number): void {
  const check = checks.get(link.chain);
  if (check === undefined) throw new NotAnExport(number);
  const { sequence, at, record, hash, previous } = link;
  check.add({
    sequence,
    at: Date.parse(at),
    record,
    hash: Buffer.from(hash, 'hex'),
    previous: previous === null ? null : Buffer.from(previous, 'hex'),
  });
}

function reportOf(
  head: ExportHead,
  checks: Map<number, ChainCheck>,
  end: ExportEnd | undefined,
  records: number,
): FileReport {
  const problems: string[] = [];
  if (end === undefined) problems.push('the file is cut off: its last line is missing');
  else if (end.records !== records)
    problems.push(`the file has ${records} records and says that it has ${end.records}`);
  const chains = head.chains.map(({ chain, last_hash }) => {
    const report = (checks.get(chain) as ChainCheck).end();
    if (!head.has_gaps && report.break_count === 0 && report.last_hash !== last_hash) {
      problems.push(`the last record of chain ${chain} is another than the first line says`);
    }
    return report;
  });
  return { has_gaps: head.has_gaps, exported_at: head.exported_at, chains, problems };
}

function parsed(text: string, number: number): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported like a value that isn't an object.
  }
  throw new NotAnExport(number);
}

const isHex = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value);

function isHead(line: object): line is ExportHead {
  const { format, has_gaps, chains } = line as Partial<ExportHead>;
  if (format !== auditFormat || typeof has_gaps !== 'boolean' || !Array.isArray(chains)) return false;
  return chains.every(
    ({ chain, length, last_hash }) =>
      isCount(chain) && (length === null || isCount(length)) && (last_hash === null || isHex(last_hash)),
  );
}

function isLink(line: object): line is ExportedLink {
  const { chain, sequence, at, record, previous, hash } = line as Partial<ExportedLink>;
  if (!isCount(chain) || !isCount(sequence) || typeof record !== 'string' || !isHex(hash)) return false;
  return Number.isFinite(Date.parse(String(at))) && (previous === null || isHex(previous));
}

const isEnd = (line: object): line is ExportEnd => Object.keys(line).length === 1 && 'records' in line;
