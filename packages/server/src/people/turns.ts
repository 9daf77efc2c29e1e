import { randomInt } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { Refused } from '../audit/change.ts';
import { type FairQueue, openFairQueue } from '../calls/fair-queue.ts';
import type { Connections } from '../engine/connection.ts';
import { subjectOfAddress } from '../primitives/networks.ts';

// Limits the use of the console's four connections. Callers who are not signed in share three of them, in turn by
// address: one address has two at most, and an IPv6 address counts by its /64. The lookups of sessions take turns by
// session, because the cookie of a session that has ended still passes the check of its HMAC.

/** Each check of a password takes 19 MiB and about 50 ms of a processor. One address has half of the turns. */
const signInLimits = { turns: 2, queueSize: 4, waitingInAll: 30, deadlineMs: 5000 };
const anonymousLimits = { turns: 3, queueSize: 32, waitingInAll: 300, deadlineMs: 5000 };
const lookupLimits = { turns: 4, queueSize: 200, waitingInAll: 2000, deadlineMs: 5000 };

/**
 * Within a second, this many refusals are sent without a delay. Further ones wait for random times, so that the callers
 * do not all come back together.
 */
const promptRefusals = { ofAddress: 100, inAll: 300 };
const [minDelayMs, maxDelayMs] = [1000, 4000];
/** A limit, because each delayed refusal keeps its request in memory. */
const maxDelayed = 5000;

export interface ConsoleTurns {
  /** Checks of passwords, by address. */
  signInTurns: FairQueue;
  /** Lookups of sessions, by session. */
  sessionTurns: FairQueue;
  anonymous: AnonymousCallers;
}

export interface AnonymousCallers {
  /**
   * The connections of a caller who is not signed in. Both methods throw a refusal if the address has too much in
   * progress.
   */
  connectionsFor(address: string | null): Connections;
  /**
   * Resolves when a refusal may be sent. A flood of them then takes little of the process from people who are signed
   * in.
   */
  pace(address: string | null): Promise<void>;
}

export const openConsoleTurns = (pool: Pool): ConsoleTurns => ({
  signInTurns: openFairQueue(signInLimits),
  sessionTurns: openFairQueue(lookupLimits),
  anonymous: { connectionsFor: shareConnections(pool), pace: openPace() },
});

function shareConnections(pool: Pool): AnonymousCallers['connectionsFor'] {
  const turns = openFairQueue(anonymousLimits);
  return (address) => {
    const caller = subjectOfAddress(address);
    return {
      query: (statement) => inTurn(turns, caller, () => pool.query(statement)),
      connect: () => connectInTurn(pool, turns, caller),
    };
  };
}

async function inTurn<T>(turns: FairQueue, caller: string, work: () => Promise<T>): Promise<T> {
  const done = await turns.take(caller, async () => ({ value: await work() }));
  if (done === undefined) throw new Refused('unavailable');
  return done.value;
}

/** The turn ends when the connection is released. */
function connectInTurn(pool: Pool, turns: FairQueue, caller: string): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    const useUntilReleased = async () => {
      const client = await pool.connect();
      await new Promise<void>((released) => {
        const { release } = client;
        client.release = (error) => {
          release.call(client, error);
          released();
        };
        resolve(client);
      });
    };
    inTurn(turns, caller, useUntilReleased).catch(reject);
  });
}

function openPace(): AnonymousCallers['pace'] {
  let second = 0;
  let inAll = 0;
  let delayed = 0;
  const refusals = new Map<string, number>();
  return async (address) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      refusals.clear();
      inAll = 0;
      second = now;
    }
    inAll++;
    const caller = subjectOfAddress(address);
    const count = (refusals.get(caller) ?? 0) + 1;
    refusals.set(caller, count);
    const isPrompt = count <= promptRefusals.ofAddress && inAll <= promptRefusals.inAll;
    if (isPrompt || delayed >= maxDelayed) return;
    delayed++;
    await new Promise((resolve) => setTimeout(resolve, randomInt(minDelayMs, maxDelayMs)).unref());
    delayed--;
  };
}
