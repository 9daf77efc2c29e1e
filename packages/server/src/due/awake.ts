import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../background/repeat.ts';
import type { Signal } from '../background/signal.ts';
import { ask } from '../db/statement.ts';
import { inTransaction } from '../db/transaction.ts';
import { findAwake, putToSleep, surveyPartners, wakeDuePartners } from '../sql/due.ts';

// The partners that the work in the background asks about. One short statement finds them, however many others there are: those whose
// things were changed lately, by whichever server, and those of whom something is due by now. Whoever has nothing to do any more
// goes to sleep until the next thing is due. Any server may wake a partner and put it to sleep: its row is locked meanwhile.
//
// Whatever gives them something to do wakes them in the same transaction. What was written without it, by a server of an older version
// or by hand, is found by a survey of all partners: when a server starts, several times soon after, when the older ones have just
// been replaced, and then every hour.

export interface AwakeWatch extends BackgroundWork {
  /** As of the latest poll, and those for whom this server has committed something since. */
  current(): ReadonlySet<number>;
}

export interface AwakeResources {
  pool: Pool;
  isDatabaseUp(): boolean;
  /** This server has committed events of a partner. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  onFault(error: unknown): void;
}

const pollMs = 100;
const sleepCheckMs = 1000;
const [firstSurveyMs, surveyMs] = [60 * 1000, 3600 * 1000];
/** Woken, put to sleep, or asked about in a survey, by one statement. */
const partnersAtATime = 500;
const breathMs = 20;

export function watchAwake(resources: AwakeResources): AwakeWatch {
  const { pool, isDatabaseUp, committed, onFault } = resources;
  let awake = new Set<number>();
  let tired: number[] = [];
  const poll = async () => {
    if (!isDatabaseUp()) return;
    const found = await ask(pool, findAwake());
    const woken = found.isAnyDue ? await ask(pool, wakeDuePartners(partnersAtATime)) : [];
    awake = new Set([...found.clientIds, ...woken]);
    tired = found.tired;
  };
  const polling = repeat(poll, { pauseMs: pollMs, onFault });
  // Beside the poll: there may be many of them, after a survey, and others must not wait to be found.
  const settling = repeat((signal) => letSleep(resources, tired, signal), { pauseMs: sleepCheckMs, onFault });
  let untilSurveyMs = firstSurveyMs / 2;
  const survey = repeat(
    async (signal) => {
      await surveyAll(resources, signal);
      untilSurveyMs = Math.min(2 * untilSurveyMs, surveyMs);
      return untilSurveyMs;
    },
    { pauseMs: firstSurveyMs, onFault },
  );
  const ignore = committed.subscribe((clientId) => void awake.add(clientId));
  return {
    current: () => awake,
    async stop() {
      ignore();
      await Promise.all([polling.stop(), settling.stop(), survey.stop()]);
    },
  };
}

async function letSleep({ pool, isDatabaseUp }: AwakeResources, tired: number[], signal: AbortSignal): Promise<void> {
  for (let i = 0; i < tired.length && !signal.aborted && isDatabaseUp(); i += partnersAtATime) {
    await inTransaction(pool, (connection) => putToSleep(connection, tired.slice(i, i + partnersAtATime)));
  }
}

async function surveyAll({ pool, isDatabaseUp }: AwakeResources, signal: AbortSignal): Promise<void> {
  let last: number | undefined = 0;
  while (last !== undefined && !signal.aborted && isDatabaseUp()) {
    last = await surveyPartners(pool, last, partnersAtATime);
    await pause(breathMs, signal);
  }
}
