// A small chart along time, in a scale of its own. It says nothing that the figure beside it does not, so it is not read out.

interface SparkProps {
  /** In the order of time; null where there was nothing to measure. */
  points: { at: number; value: number | null }[];
  /** From when to when it is drawn, in milliseconds. */
  span: { from: number; to: number };
  /** Readings further from each other than this are not joined. */
  gapMs: number;
}

const [width, height, margin] = [300, 36, 2];

/** Pieces of a line: it is broken where nothing is known. */
function linesOf({ points, span: { from, to }, gapMs }: SparkProps): [number, number][][] {
  const highest = Math.max(...points.map(({ value }) => value ?? 0), Number.MIN_VALUE);
  const lines: [number, number][][] = [];
  let before: number | undefined;
  for (const { at, value } of points) {
    if (value === null) {
      before = undefined;
      continue;
    }
    if (before === undefined || at - before > gapMs) lines.push([]);
    const x = ((at - from) / (to - from)) * width;
    lines.at(-1)?.push([x, height - margin - (value / highest) * (height - 2 * margin)]);
    before = at;
  }
  return lines;
}

const pathOf = (line: [number, number][]): string => line.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' L');

export const Spark = (props: SparkProps) => (
  <svg className="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
    <path className="spark-ground" d={`M0,${height - margin} H${width}`} />
    {linesOf(props).map((line) => {
      const [[begin] = [0], [end] = [0]] = [line[0], line.at(-1)];
      return (
        <g key={begin}>
          <path className="spark-area" d={`M${begin},${height} L${pathOf(line)} L${end},${height} Z`} />
          <path className="spark-line" d={`M${pathOf(line)}`} />
        </g>
      );
    })}
  </svg>
);
