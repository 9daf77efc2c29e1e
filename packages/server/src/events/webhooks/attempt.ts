import assert from 'node:assert/strict';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { tracing } from '../../engine/tracing.ts';
import { eventBody } from '../../promo/batch/event.ts';
import type { Attempt, EndedAttempt, Sender } from './post.ts';
import type { PendingDelivery, Unrecorded } from './reading.ts';
import { type Signer, signedHeaders } from './request.ts';
import type { DeliveryResult } from './sql/courier.ts';

// One attempt to deliver one event: the request, and the result to record.

export interface AttemptParts {
  clientId: number;
  url: string;
  sender: Sender;
  window: Window;
  unrecorded: Unrecorded;
  scheduleMs: readonly number[];
  /** Events that were committed before this are not measured: their delay has other causes than this server. */
  observedSince: number;
  resources: AttemptResources;
}

export interface AttemptResources {
  /** Undefined if the partner is disabled. */
  signerOf(clientId: number): Signer | undefined;
  observer: DeliveryObserver;
}

export async function attempt(parts: AttemptParts, pending: PendingDelivery): Promise<void> {
  const { clientId, window, unrecorded } = parts;
  const { signerOf, observer } = parts.resources;
  const { event, committedAt } = pending;
  const signer = signerOf(clientId);
  assert(signer, 'without keys a courier does not go on');
  window.begin(event.sequence);
  if (committedAt !== undefined) {
    unrecorded.begin(event.sequence);
    if (committedAt > parts.observedSince) observer.firstAttempt((performance.now() - committedAt) / 1000);
  }
  const body = JSON.stringify(eventBody(clientId, event));
  const { url } = parts;
  const headers = signedHeaders(signer, { eventId: event.eventId, url, body }, Date.now());
  const traced = tracing?.startAttempt(clientId, event.sequence);
  const ended = await parts.sender.post(url, traced === undefined ? headers : { ...headers, ...traced.headers }, body);
  traced?.end(ended.result === 'failed' ? ended.reason : undefined);
  const change = window.end(event.sequence, ended.result);
  if (ended.result === 'stopped') return;
  if (change === 'works again') observer.worksAgain(clientId);
  if (change === 'failing') observer.failing(clientId, outcomeOf(ended));
  const result = resultOf(parts.scheduleMs, pending, ended);
  unrecorded.end(event.sequence, ended.result === 'received', result);
  observer.attempted(ended.result);
  if (result.state === 'failed') observer.givenUp();
}

function outcomeOf(ended: EndedAttempt): string {
  if (ended.result === 'received') return `answered ${ended.status}`;
  return ended.result === 'gone' ? 'answered 410' : ended.reason;
}

function resultOf(scheduleMs: readonly number[], pending: PendingDelivery, ended: EndedAttempt): DeliveryResult {
  const attempts = pending.attempts + 1;
  const { sequence } = pending.event;
  const common = { sequence, attempts, resent: pending.resent, outcome: outcomeOf(ended) };
  if (ended.result === 'received') return { ...common, state: 'received', delayMs: 0 };
  const retryAfterMs = ended.result === 'failed' ? (ended.retryAfterMs ?? 0) : 0;
  const delayMs = delayAfter(scheduleMs, attempts, retryAfterMs, Math.random());
  return delayMs === undefined ? { ...common, state: 'failed', delayMs: 0 } : { ...common, state: 'waiting', delayMs };
}

/** A share added to each delay, so that deliveries that failed together are not retried together. */
const jitter = 0.1;

/** The delay after this many failed attempts; undefined after the last attempt. */
export function delayAfter(
  scheduleMs: readonly number[],
  attempts: number,
  retryAfterMs: number,
  random: number,
): number | undefined {
  const delayMs = scheduleMs[attempts - 1];
  return delayMs === undefined ? undefined : Math.max(delayMs * (1 + jitter * random), retryAfterMs);
}

/** Receives the counts and log entries of deliveries. */
export interface DeliveryObserver {
  attempted(result: EndedAttempt['result']): void;
  /** The first attempt of an event begins, this long after its commit. */
  firstAttempt(elapsedS: number): void;
  /** The last attempt of an event has failed. */
  givenUp(): void;
  /** `failing` follows several failures in a row; `worksAgain` follows the first success after that. */
  failing(clientId: number, reason: string): void;
  worksAgain(clientId: number): void;
  turnedOff(clientId: number, reason: string): void;
  fault(error: unknown): void;
}

// Limits the concurrent attempts per webhook. The limit grows by one with each success and halves with each failure.
// After several failures in a row it is one attempt per second, until one succeeds; after a 410 there are no more
// attempts.

export interface Window {
  /** The sequence numbers of the events that are being attempted. */
  underWay: ReadonlySet<number>;
  hasRoom(): boolean;
  isGone(): boolean;
  begin(sequence: number): void;
  /** Returns the change of state that the result causes. */
  end(sequence: number, result: Attempt['result']): 'failing' | 'works again' | undefined;
}

/** Also the maximum number of connections. */
export const maxWindow = 128;
const minWindow = 16;
const failuresToSlowDown = 8;

export function openWindow(slowMs: number): Window {
  const underWay = new Set<number>();
  let width = minWindow;
  let failuresInRow = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isGone = false;
  const isSlow = () => failuresInRow >= failuresToSlowDown;

  const received = () => {
    const wasSlow = isSlow();
    failuresInRow = 0;
    width = Math.min(maxWindow, width + 1);
    return wasSlow ? 'works again' : undefined;
  };
  const failed = () => {
    failuresInRow += 1;
    width = Math.max(minWindow, Math.floor(width / 2));
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

// Requests have priority. While requests are in progress and this process is busy, only a limited number of attempts
// are started. The others wait until it is idle, or another server sends them.

export interface Pace extends BackgroundWork {
  /** Counts an attempt against the limit. Returns false if it must wait. */
  mayStart(): boolean;
}

const sampleMs = 100;
/** Measured with 0.9: Issue kept 0.77 of its rate while a webhook received every event. */
const busyShare = 0.7;

export function keepPace(
  areRequestsUnderWay: () => boolean,
  perSecondWhenBusy: number,
  onFault: (error: unknown) => void,
): Pace {
  let isBusy = false;
  let left = 0;
  let last: EventLoopUtilization | undefined;
  const sample = async () => {
    const now = performance.eventLoopUtilization();
    isBusy = last !== undefined && performance.eventLoopUtilization(now, last).utilization > busyShare;
    last = now;
    left = (perSecondWhenBusy * sampleMs) / 1000;
  };
  // Without jitter, because each allowance is for exactly one interval.
  const { stop } = repeat(sample, { pauseMs: sampleMs, jitter: 0, onFault });
  return {
    mayStart() {
      if (!isBusy || !areRequestsUnderWay()) return true;
      left -= 1;
      return left >= 0;
    },
    stop,
  };
}

// Limits the open connections of all webhooks of a process. A slow receiver that responds in the end gets up to 128 of
// them, and keeps each for seconds. Every webhook has a share of up to 16 that the others can't use, so that slow
// receivers never take the connections of healthy ones. Connections beyond the shares go to the webhook that asks
// first. Every webhook can always open one connection.

export interface Sockets {
  /** Open connections, including those being opened. */
  open(): number;
  limit: number;
  /** Reserves a share for a webhook until it leaves. */
  join(): WebhookSockets;
}

export interface WebhookSockets {
  /** Counts a connection. Returns a function to call when it is closed. */
  begin(): () => void;
  /** Whether the webhook may open another connection. */
  hasRoom(): boolean;
  leave(): void;
}

const maxShare = 16;

export function limitSockets(limit: number): Sockets {
  let open = 0;
  let webhooks = 0;
  // At most half of all connections are reserved as shares.
  const share = () => Math.max(1, Math.min(maxShare, Math.floor(limit / 2 / webhooks)));
  return {
    open: () => open,
    limit,
    join() {
      let own = 0;
      webhooks += 1;
      return {
        begin() {
          open += 1;
          own += 1;
          return () => {
            open -= 1;
            own -= 1;
          };
        },
        hasRoom() {
          if (own === 0) return true;
          const setAside = own < share() ? 0 : share() * (webhooks - 1);
          return open < limit - setAside;
        },
        leave() {
          webhooks -= 1;
        },
      };
    },
  };
}
