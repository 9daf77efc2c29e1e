import type { Attempt } from './post.ts';

// How many attempts to deliver to one webhook may be under way at a time. A receiver that keeps up gets one more with each
// receipt, and half as many after a failure. After several failures in a row it is one attempt a second, until one is
// received; after a 410 it is none.

export interface Window {
  /** The numbers of the events that are being attempted. */
  underWay: ReadonlySet<number>;
  hasRoom(): boolean;
  isGone(): boolean;
  begin(sequence: number): void;
  /** Says so when this changes what is to be thought of the webhook. */
  end(sequence: number, result: Attempt['result']): 'failing' | 'works again' | undefined;
}

/** As many connections may be open. */
export const widestWindow = 128;
const narrowestWindow = 16;
const failuresToSlowDown = 8;

export function openWindow(slowMs: number): Window {
  const underWay = new Set<number>();
  let width = narrowestWindow;
  let failuresInRow = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isGone = false;
  const isSlow = () => failuresInRow >= failuresToSlowDown;

  const received = () => {
    const wasSlow = isSlow();
    failuresInRow = 0;
    width = Math.min(widestWindow, width + 1);
    return wasSlow ? 'works again' : undefined;
  };
  const failed = () => {
    failuresInRow += 1;
    width = Math.max(narrowestWindow, Math.floor(width / 2));
    return failuresInRow === failuresToSlowDown ? 'failing' : undefined;
  };

  return {
    underWay,
    hasRoom() {
      if (isGone) return false;
      if (isSlow()) return underWay.size === 0 && performance.now() >= begunAt + slowMs;
      return underWay.size < width;
    },
    isGone: () => isGone,
    begin(sequence) {
      underWay.add(sequence);
      begunAt = performance.now();
    },
    end(sequence, result) {
      underWay.delete(sequence);
      if (result === 'stopped') return undefined;
      if (result === 'gone') isGone = true;
      return result === 'received' ? received() : failed();
    },
  };
}
