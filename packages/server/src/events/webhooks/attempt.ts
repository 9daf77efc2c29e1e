import assert from 'node:assert/strict';
import { tracing } from '../../engine/tracing.ts';
import { eventBody } from '../../promo/batch/event.ts';
import type { DeliveryObserver } from './observer.ts';
import type { EndedAttempt, Sender } from './post.ts';
import type { Unrecorded } from './progress.ts';
import type { PendingDelivery } from './reading.ts';
import { delayAfter } from './schedule.ts';
import { type Signer, signedHeaders } from './signing.ts';
import type { DeliveryResult } from './sql/progress.ts';
import type { Window } from './window.ts';

// One attempt to deliver one event: what is sent, and what is to be written down of it.

export interface AttemptParts {
  clientId: number;
  url: string;
  sender: Sender;
  window: Window;
  unrecorded: Unrecorded;
  scheduleMs: readonly number[];
  /** What was committed before is sent late for other reasons than this server's. */
  observedSince: number;
  resources: AttemptResources;
}

export interface AttemptResources {
  /** Undefined when the partner is disabled. */
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
