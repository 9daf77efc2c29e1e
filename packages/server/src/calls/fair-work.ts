// Processor time for large bodies, shared fairly. Validating a body with a thousand items takes milliseconds, so each
// caller has one body in progress at a time, callers take turns, and the event loop serves other requests between two
// slices.

export interface FairWork {
  /**
   * Runs `work` at the turn of its caller. Undefined if it did not start, because too many bodies or bytes of this
   * caller were waiting or its turn came after the deadline.
   */
  run<T>(caller: string, body: { bytes: number; deadline: number }, work: Work<T>): Promise<T | undefined>;
}

type Work<T> = (slice: Slice) => Promise<T>;

export interface Slice {
  /** Whether the work has used its time and should pause. */
  isOver(): boolean;
  /** Resolves at the caller's next turn. */
  pause(): Promise<void>;
  /** Lets the caller's next body start: the rest of this one needs little processor time. */
  end(): void;
}

/** For work that is too small to be divided. */
export const undivided: Slice = { isOver: () => false, pause: async () => {}, end() {} };

export interface FairWorkSettings {
  sliceMs: number;
  /** How many bodies of one caller may wait after its next one. */
  queueSize: number;
  /** How many bytes of all callers may wait. Above that, the last body of the caller with the most bytes is refused. */
  waitingBytes: number;
}

interface Waiting {
  bytes: number;
  deadline: number;
  begin(isInTime: boolean): void;
}

interface Caller {
  name: string;
  /** One of its bodies is in progress or next in turn. */
  isWorking: boolean;
  /** A body waits until its turn has come. */
  waiting: Waiting[];
  waitingBytes: number;
}

export function openFairWork({ sliceMs, queueSize, waitingBytes }: FairWorkSettings): FairWork {
  const callers = new Map<string, Caller>();
  const turns = openTurns(sliceMs);
  let allWaitingBytes = 0;

  const takeOut = (caller: Caller, waiting: Waiting | undefined) => {
    caller.waitingBytes -= waiting?.bytes ?? 0;
    allWaitingBytes -= waiting?.bytes ?? 0;
    return waiting;
  };

  const beginNext = (caller: Caller): void => {
    caller.isWorking = caller.waiting.length > 0;
    if (caller.isWorking) turns.take(caller, () => begin(caller));
    else callers.delete(caller.name);
  };

  const begin = (caller: Caller): void => {
    let isBegun = false;
    while (!isBegun && caller.waiting.length > 0) {
      const next = takeOut(caller, caller.waiting.shift());
      isBegun = next !== undefined && performance.now() < next.deadline;
      next?.begin(isBegun);
    }
    if (!isBegun) beginNext(caller);
  };

  const refuseLast = () => {
    const most = [...callers.values()].reduce((a, b) => (b.waitingBytes > a.waitingBytes ? b : a));
    takeOut(most, most.waiting.pop())?.begin(false);
  };

  const turnOf = (caller: Caller, bytes: number, deadline: number) =>
    new Promise<boolean>((begin) => {
      caller.waiting.push({ bytes, deadline, begin });
      caller.waitingBytes += bytes;
      allWaitingBytes += bytes;
      if (!caller.isWorking) beginNext(caller);
      if (allWaitingBytes > waitingBytes) refuseLast();
    });

  const sliceOf = (caller: Caller): Slice => {
    let isEnded = false;
    return {
      isOver: () => !isEnded && turns.isOver(),
      pause: () => (isEnded ? Promise.resolve() : new Promise((resume) => turns.take(caller, resume))),
      end() {
        if (!isEnded) beginNext(caller);
        isEnded = true;
      },
    };
  };

  return {
    async run(name, { bytes, deadline }, work) {
      const caller = callers.get(name) ?? { name, isWorking: false, waiting: [], waitingBytes: 0 };
      if (caller.waiting.length > queueSize) return undefined;
      callers.set(name, caller);
      if (!(await turnOf(caller, bytes, deadline))) return undefined;
      const slice = sliceOf(caller);
      try {
        return await work(slice);
      } finally {
        slice.end();
      }
    },
  };
}

/** One slice for each turn of the event loop, so that other requests are served between two slices. */
function openTurns(sliceMs: number) {
  /** What each caller does in its next turn, the least recently served first. */
  const ready = new Map<Caller, () => void>();
  let isScheduled = false;
  let sliceEnds = 0;

  const schedule = () => {
    if (isScheduled || ready.size === 0) return;
    isScheduled = true;
    setImmediate(runSlice);
  };

  const runSlice = () => {
    isScheduled = false;
    const [first] = ready;
    if (first === undefined) return;
    const [caller, work] = first;
    ready.delete(caller);
    schedule();
    sliceEnds = performance.now() + sliceMs;
    work();
  };

  return {
    isOver: () => performance.now() >= sliceEnds,
    take(caller: Caller, work: () => void) {
      ready.set(caller, work);
      schedule();
    },
  };
}
