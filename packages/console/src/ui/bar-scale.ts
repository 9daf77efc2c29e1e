// How a chart of bars is divided, upwards by round numbers and along its foot by labels that can be read.

const roundFactors = [1, 2, 5, 10];

/** Round numbers from nothing to one that no value is above; things that are counted have no halves. */
export function ticksUpTo(largest: number, areWhole: boolean, steps = 4): number[] {
  const least = Math.max(largest, Number.MIN_VALUE) / steps;
  const unit = 10 ** Math.floor(Math.log10(least));
  const round = unit * (roundFactors.find((factor) => factor * unit >= least) ?? 10);
  const step = areWhole ? Math.max(1, round) : round;
  return Array.from({ length: Math.ceil(largest / step || 1) + 1 }, (_, index) => index * step);
}

const [letterWidth, gap] = [7, 12];

/** Each label stands for so many bars that it has room: an odd number, so that it is below the one in their middle. */
export function barsPerLabel(labels: string[], width: number): number {
  const longest = Math.max(...labels.map(({ length }) => length)) * letterWidth + gap;
  const needed = Math.ceil((longest * labels.length) / Math.max(width, 1));
  return Math.min(labels.length, needed + 1 - (needed % 2));
}
