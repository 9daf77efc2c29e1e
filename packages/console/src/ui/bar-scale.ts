// How a chart of bars is divided, upwards by round numbers and along its foot by labels that can be read.

const roundFactors = [1, 2, 5, 10];

/** Round numbers from nothing to one that no value is above; things that are counted have no halves. */
export function ticksUpTo(largest: number, areWhole: boolean, steps = 4): number[] {
  const least = (largest || 1) / steps;
  const unit = 10 ** Math.floor(Math.log10(least));
  const round = unit * (roundFactors.find((factor) => factor * unit >= least) ?? 10);
  const step = areWhole ? Math.max(1, round) : round;
  return Array.from({ length: Math.ceil(largest / step || 1) + 1 }, (_, index) => index * step);
}

const [letterWidth, gap] = [7, 12];

/**
 * How many bars have one label, so that there is room for it, or for so many of its letters: an odd number where there are enough
 * bars, so that it is below the one in their middle.
 */
export function barsPerLabel(labels: string[], width: number, mostLetters = Number.POSITIVE_INFINITY): number {
  const letters = Math.min(mostLetters, Math.max(...labels.map(({ length }) => length)));
  const needed = Math.ceil(((letters * letterWidth + gap) * labels.length) / Math.max(width, 1));
  return Math.min(labels.length, needed + 1 - (needed % 2));
}
