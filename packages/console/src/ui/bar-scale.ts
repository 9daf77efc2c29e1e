// The ticks of the value axis, and how many bars share one label.

const roundFactors = [1, 2, 5, 10];

/** Round numbers from 0 to at least the largest value. Counts get whole steps. */
export function ticksUpTo(largest: number, areWhole: boolean, steps = 4): number[] {
  const least = (largest || 1) / steps;
  const unit = 10 ** Math.floor(Math.log10(least));
  const round = unit * (roundFactors.find((factor) => factor * unit >= least) ?? 10);
  const step = areWhole ? Math.max(1, round) : round;
  return Array.from({ length: Math.ceil(largest / step || 1) + 1 }, (_, index) => index * step);
}

const [letterWidth, gap] = [7, 12];

/**
 * How many bars share one label, so that the label, or its first `mostLetters` letters, fits. The result is odd if
 * there are enough bars, so that the label is below the middle bar.
 */
export function barsPerLabel(labels: string[], width: number, mostLetters = Number.POSITIVE_INFINITY): number {
  const letters = Math.min(mostLetters, Math.max(...labels.map(({ length }) => length)));
  const needed = Math.ceil(((letters * letterWidth + gap) * labels.length) / Math.max(width, 1));
  return Math.min(labels.length, needed + 1 - (needed % 2));
}
