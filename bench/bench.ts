import type { Load, LoadResult, RunLoad } from './load.ts';
import { type Finding, findingLine, median } from './report.ts';
import type { Tools } from './tools.ts';

/** The tools of every part. */
export interface Bench {
  socketDir: string;
  tools: Tools;
  runLoad: RunLoad;
  findings: Finding[];
}

export const seconds = 3;
export const rounds = 3;

export const say = (text: string): void => console.log(`  ${text}`);

export function find(bench: Bench, finding: Omit<Finding, 'ratio'>): void {
  const complete = { ...finding, ratio: finding.value / finding.base };
  bench.findings.push(complete);
  say(`→ ${findingLine(complete)}`);
}

/** Measures the sides in turns and returns the median of each, so that other load on the machine affects all alike. */
export async function alternate<Side extends string>(
  sides: Record<Side, () => Promise<number>>,
  times = rounds,
): Promise<Record<Side, number>> {
  const names = Object.keys(sides) as Side[];
  const values = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 1; round <= times; round++) {
    for (const name of names) values.get(name)?.push(await sides[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(values.get(name) ?? [])])) as Record<Side, number>;
}

/** Successful responses per second. */
export async function rate(bench: Bench, name: string, load: Load): Promise<number> {
  const result = await bench.runLoad(load);
  describe(name, result);
  if (result.refused > 0) throw new Error(`${name}: ${result.refused} of ${result.answers} requests were refused`);
  return result.perSecond;
}

/** Aligns the figures in columns. */
export const rateLine = (name: string, perSecond: number, unit = '/s'): string =>
  `${name.padEnd(48)} ${perSecond.toFixed(0).padStart(6)}${unit}`;

export function describe(name: string, { perSecond, p50Ms, p99Ms, refused }: LoadResult): void {
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  say(`${rateLine(name, perSecond)}   ${times}${refused > 0 ? `, ${refused} refused` : ''}`);
}
