import { cpus, totalmem } from 'node:os';
import { table as columns } from '../packages/server/src/admin/command.ts';
import type { Tools } from './tools.ts';

// The findings, and their table for the terminal.

export interface Finding {
  part: string;
  /** The measured side. `against` is the side that it is compared with. */
  what: string;
  against: string;
  unit: string;
  value: number;
  base: number;
  ratio: number;
  /** The least or greatest ratio allowed; absent if the ratio is only reported. */
  least?: number;
  most?: number;
}

export const isReached = ({ ratio, least, most }: Finding): boolean =>
  (least === undefined || ratio >= least) && (most === undefined || ratio <= most);

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
};

const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);

function goalOf({ least, most }: Finding): string {
  if (least !== undefined) return `at least ${least} ×`;
  return most === undefined ? '' : `at most ${most} ×`;
}

export const goalText = (finding: Finding): string => {
  const goal = goalOf(finding);
  if (goal === '') return 'reported';
  return `${goal}, ${isReached(finding) ? 'reached' : 'NOT reached'}`;
};

/** The number of goals reached. Findings without a goal don't count. */
export function goalsLine(findings: Finding[]): string {
  const withGoal = findings.filter((finding) => goalOf(finding) !== '');
  if (withGoal.length === 0) return 'None of the findings has a goal';
  const missed = withGoal.filter((finding) => !isReached(finding)).length;
  return missed === 0 ? 'Every goal is reached' : `${missed} of ${withGoal.length} goals are not reached`;
}

/** The versions of the databases: the embedded PostgreSQL, or the cluster of the part "citus". */
export function databasesOf(parts: readonly string[], own: string, cluster?: string): string {
  if (cluster === undefined || !parts.includes('citus')) return own;
  return parts.length === 1 ? cluster : `${own}; citus: ${cluster}`;
}

export function findingLine(finding: Finding): string {
  const { what, against, value, base, ratio, unit } = finding;
  return `${what}: ${written(value)} ${unit}; ${against}: ${written(base)} ${unit}; ${ratio.toFixed(2)} × (${goalText(finding)})`;
}

export function table(findings: Finding[]): string {
  const rows = findings.map((finding) => [
    finding.what,
    `${written(finding.value)} ${finding.unit}`,
    finding.against,
    `${written(finding.base)} ${finding.unit}`,
    `${finding.ratio.toFixed(2)} ×`,
    goalText(finding),
  ]);
  return columns(['measured', '', 'compared with', '', 'ratio', 'goal'], rows);
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  postgres: string;
  load: string;
  databaseLoad: string;
  durable: string;
}

export const machineFacts = (tools: Tools, postgres: string): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch}`,
  node: process.version,
  postgres,
  load: tools.wrk ?? 'autocannon',
  databaseLoad: tools.pgbench ?? 'a loop of our own in place of pgbench',
  durable: 'fsync and synchronous_commit on',
});
