import { createSecretKey, randomUUID } from 'node:crypto';
import { after } from 'node:test';
import type { Pool, QueryConfig, Submittable } from 'pg';
import { openPool } from '../../packages/server/src/engine/connection.ts';
import { limitSockets, type Sockets } from '../../packages/server/src/events/webhooks/attempt.ts';
import {
  type Courier,
  type CourierSettings,
  courierTimes,
  startCourier,
} from '../../packages/server/src/events/webhooks/courier.ts';
import { cacheCampaignDefinitions } from '../../packages/server/src/promo/campaigns/sql/definitions.ts';
import type { Partner } from './caller.ts';
import type { TestDatabase } from './database.ts';

// Couriers without a server that polls for work, with connections that a test can break.

interface Options {
  /** The current values, where they change. */
  pool?: Pool | (() => Pool);
  mayStart?: () => boolean;
  /** Shared by several couriers. */
  sockets?: Sockets;
  settings?: Partial<CourierSettings>;
}

/** A fifth of the real value, for tests that wait until a lease expires. */
export const shortLease = { lastsMs: 2000, renewMs: 600, doubtMs: 800 };

const noCounts = {
  turns: 0,
  tokens: 0,
  tokensWhenFailing: 0,
  failing: 0,
  worksAgain: 0,
  firstAttempts: 0,
  givenUp: 0,
  turnedOff: 0,
};

type Breaks = 'never' | 'before' | 'after' | 'always';
type Trip = Submittable & { callback(error: Error | null): void };

/**
 * Only the recording of results is a transaction with two round trips. The connection breaks before the first, or
 * after the second.
 */
async function connectBreakable(real: Pool, breaks: Breaks, broken: () => Error) {
  if (breaks === 'before' || breaks === 'always') throw broken();
  const client = await real.connect();
  let trips = 0;
  return {
    query(trip: Trip | string) {
      trips += 1;
      if (typeof trip === 'string') return client.query(trip);
      const { callback } = trip;
      if (breaks === 'after' && trips === 2) trip.callback = (error) => callback(error ?? broken());
      return client.query(trip);
    },
    release: (error?: Error | boolean) => client.release(error),
  };
}

export function testCouriers(env: TestDatabase['env']) {
  const real = openPool({
    connection: { connectionString: env.DATABASE_URL },
    max: 4,
    queryTimeoutMs: 5000,
    applicationName: 'test',
  });
  after(() => real.end());
  const definitions = cacheCampaignDefinitions(100);

  /** Fails like a broken connection: before the results are recorded, after that, or at any statement. */
  function breakable() {
    const state = { breaks: 'never' as Breaks, broken: 0, code: undefined as unknown };
    const broken = () => {
      state.broken += 1;
      const { code } = state;
      return Object.assign(new Error('Connection terminated unexpectedly'), code === undefined ? {} : { code });
    };
    const query = async (statement: QueryConfig) => {
      if (state.breaks === 'always') throw broken();
      return real.query(statement);
    };
    const connect = () => connectBreakable(real, state.breaks, broken);
    return { state, pool: { query, connect } as unknown as Pool };
  }

  function start(
    { clientId, secret }: Partner,
    { pool = real, mayStart, sockets = limitSockets(1000), settings }: Options = {},
  ) {
    const counts = { ...noCounts };
    const results: string[] = [];
    const faults: unknown[] = [];
    const keys = [createSecretKey(secret, 'utf8')];
    const courier = startCourier(
      clientId,
      randomUUID(),
      {
        pool: typeof pool === 'function' ? pool : () => pool,
        definitions,
        signerOf: () => {
          counts.turns += 1;
          return { keys, isStrict: false };
        },
        sockets,
        pace: { mayStart: mayStart ?? (() => ++counts.tokens > 0) },
        observer: {
          attempted: (result) => results.push(result),
          firstAttempt: () => counts.firstAttempts++,
          givenUp: () => counts.givenUp++,
          failing: () => {
            counts.failing++;
            counts.tokensWhenFailing = counts.tokens;
          },
          worksAgain: () => counts.worksAgain++,
          turnedOff: () => counts.turnedOff++,
          fault: (error) => faults.push(error),
        },
      },
      { allowPrivate: true, timeoutMs: 15_000, scheduleMs: [60_000], userAgent: 'test', ...courierTimes, ...settings },
    );
    after(() => courier.stop());
    /** Acts like a poll that finds due deliveries, and events up to this number. */
    const poll = (last_sequence: number) => courier.polled(performance.now(), { last_sequence, has_due: true });
    return { courier, counts, faults, results, poll };
  }
  return { start, breakable };
}

export const end = async (courier: Courier) => {
  courier.stop();
  await courier.ended;
};
