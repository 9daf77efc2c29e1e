import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

// The processor time of processes and test files from /proc: user and system, in milliseconds.

interface Process {
  pid: number;
  parent: number;
  name: string;
  ownMs: number;
  /** The time of its ended descendants. */
  endedMs: number;
}

export interface ProcessorTime {
  ownMs: number;
  chromiumMs: number;
  /** All other descendants of this process. */
  othersMs: number;
}

/** The kernel counts hundredths of a second. */
const tickMs = 10;

const variable = 'FREEBETS_TEST_TIMES';

export const canCount = process.platform === 'linux';

function readProcess(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [name, rest = ''] = [
      stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      stat.slice(stat.lastIndexOf(')')),
    ];
    const field = rest.split(' ').map(Number);
    const ms = (i: number) => (field[i] ?? 0) * tickMs;
    return [{ pid: Number(pid), parent: field[2] ?? 0, name, ownMs: ms(12) + ms(13), endedMs: ms(14) + ms(15) }];
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}

/** From the start of a process until now. Orphaned processes are not counted. */
export function processorTime(pid: number): ProcessorTime {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  const childrenOf = (parent: number) => byParent.get(parent) ?? [];
  const treeMs = (top: Process): number =>
    childrenOf(top.pid).reduce((sum, child) => sum + treeMs(child), top.ownMs + top.endedMs);
  const self = all.find((each) => each.pid === pid);
  const time = { ownMs: self?.ownMs ?? 0, chromiumMs: 0, othersMs: self?.endedMs ?? 0 };
  for (const child of childrenOf(pid)) time[child.name.includes('chrom') ? 'chromiumMs' : 'othersMs'] += treeMs(child);
  return time;
}

export const totalMs = ({ ownMs, chromiumMs, othersMs }: ProcessorTime): number => ownMs + chromiumMs + othersMs;

/** Processes with this environment write their times to a file. */
export const timesEnvironment = (path: string) => ({ [variable]: path });

/** Writes the processor time of a test file, or of this process itself. */
export function writeTime(name: string, time: ProcessorTime): void {
  const path = process.env[variable];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ name, ...time })}\n`);
}

/** Starts counting for a test file. The returned function ends it. */
export function countFile(file: string): () => void {
  if (process.env[variable] === undefined) return () => {};
  const before = processorTime(process.pid);
  return () => {
    const { ownMs, chromiumMs, othersMs } = processorTime(process.pid);
    writeTime(file, {
      ownMs: ownMs - before.ownMs,
      chromiumMs: chromiumMs - before.chromiumMs,
      othersMs: othersMs - before.othersMs,
    });
  };
}

/** A line for each name, most expensive first, and the sums. */
export function timesReport(path: string, postgresMs: number): string {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const times: ({ name: string } & ProcessorTime)[] = lines.map((line) => JSON.parse(line));
  const sum = (of: (time: ProcessorTime) => number) => times.reduce((all, each) => all + of(each), 0);
  const columns: ((time: ProcessorTime) => number)[] = [
    totalMs,
    ({ ownMs }) => ownMs,
    ({ chromiumMs }) => chromiumMs,
    ({ othersMs }) => othersMs,
  ];
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(9);
  const rows = times
    .toSorted((a, b) => totalMs(b) - totalMs(a))
    .map((each) => `${columns.map((of) => seconds(of(each))).join('')}  ${each.name}`);
  return [
    '\nSeconds of processor time:',
    '    total      own chromium   others',
    ...rows,
    `${columns.map((of) => seconds(sum(of))).join('')}  in all, and ${seconds(postgresMs).trim()} in PostgreSQL`,
  ].join('\n');
}
