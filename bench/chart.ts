import { type Finding, goalText, isReached, type Machine } from './report.ts';

// Draws the ratios as bars, each with the line of its goal.

const row = 46;
const left = 430;
const width = 1140;
const top = 84;
const scale = 380;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A logarithmic scale: a ratio of 1 is in the middle, and every doubling has the same length. */
const position = (ratio: number) => Math.min(Math.max((Math.log2(ratio) + 4) / 8, 0), 1) * scale;

function bar(finding: Finding, index: number): string {
  const y = top + index * row;
  const goal = finding.least ?? finding.most;
  const colour = goal === undefined ? '#7a869a' : isReached(finding) ? '#2e7d5b' : '#b3452c';
  const mark =
    goal === undefined
      ? ''
      : `<line x1="${left + position(goal)}" x2="${left + position(goal)}" y1="${y}" y2="${y + 26}" stroke="#111" stroke-width="2"/>`;
  return `<text x="${left - 12}" y="${y + 11}" text-anchor="end" font-weight="600">${escaped(finding.what)}</text>
<text x="${left - 12}" y="${y + 26}" text-anchor="end" fill="#555">against ${escaped(finding.against)}</text>
<rect x="${left}" y="${y + 3}" width="${position(finding.ratio).toFixed(1)}" height="20" fill="${colour}"/>${mark}
<text x="${left + scale + 12}" y="${y + 18}" font-weight="600">${finding.ratio.toFixed(2)} ×</text>
<text x="${left + scale + 84}" y="${y + 18}" fill="#555">${escaped(goalText(finding))}</text>`;
}

export function drawChart(machine: Machine, findings: Finding[], at: string): string {
  const height = top + findings.length * row + 30;
  const caption = `${machine.cores} × ${machine.processor}, ${machine.memoryGiB} GiB, Node ${machine.node}, ${machine.postgres}, ${at.slice(0, 10)}`;
  const one = left + position(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="24" y="32" font-size="20" font-weight="700">Freebets, side by side</text>
<text x="24" y="54" fill="#555">${escaped(caption)}</text>
<text x="${one}" y="${top - 10}" text-anchor="middle" fill="#555">equal</text>
<line x1="${one}" x2="${one}" y1="${top - 4}" y2="${height - 24}" stroke="#ccc"/>
${findings.map(bar).join('\n')}
</svg>
`;
}
