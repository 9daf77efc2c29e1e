import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawChart } from './chart.ts';
import type { Finding, Machine } from './report.ts';

const folder = fileURLToPath(new URL('./results/', import.meta.url));

export function writeResults(machine: Machine, findings: Finding[], elapsedS: number): void {
  const at = new Date().toISOString();
  mkdirSync(folder, { recursive: true });
  const results = { at, elapsed_s: Math.round(elapsedS), machine, findings };
  writeFileSync(`${folder}results.json`, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(`${folder}results.svg`, drawChart(machine, findings, at));
}
