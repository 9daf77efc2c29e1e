import type { MetricObject } from '@prometheus-io/client';
import type pg from 'pg';
import type { EndedSessions } from '../../people/sessions.ts';
import type { Taken } from '../../primitives/rate-limit.ts';

// What the first process and those that serve say to each other, over the channel between them.

/** Of which each has its answer. */
export interface Questions {
  /** Of the first process: what a process has counted. Of a process that serves: what all of them have. */
  metrics: { given: undefined; answer: MetricObject[] };
  /** Of the first process: whether it still does anything. */
  pulse: { given: undefined; answer: true };
  /** All of them as text. */
  metricsText: { given: undefined; answer: string };
  tokens: { given: { limit: number; burst: number; caller: string; least: number; most: number }; answer: Taken };
}

export type Question = keyof Questions;

export interface Beginning {
  connection: pg.ClientConfig;
  /** As it stands in the settings. */
  masterKey: string;
  isEmbedded: boolean;
  processes: number;
  /** Whether it does the work in the background, if any of them does. */
  isWorker: boolean;
}

export type Message =
  | { kind: 'begin'; beginning: Beginning }
  | { kind: 'question'; id: number; what: Question; given: unknown }
  | { kind: 'answer'; id: number; answer: unknown }
  /** The question failed. */
  | { kind: 'noAnswer'; id: number; reason: string }
  /** It answers requests, at this address; what it would welcome somebody with who tries it. */
  | { kind: 'serving'; url: string; welcome: string | undefined }
  | { kind: 'failed'; reason: string }
  /** Of one that serves: whether it is ready. Of the first: whether all are. */
  | { kind: 'ready'; isReady: boolean }
  /** Something of these partners was committed, by another process. */
  | { kind: 'committed'; clientIds: number[] }
  /** Sessions may have ended by what another process did. */
  | { kind: 'sessionsEnded'; ended: EndedSessions }
  /** Takes no more connections, and ends when those it has are closed; or at once, with all the others. */
  | { kind: 'stop'; isReplaced: boolean }
  /** What it counted until its end. */
  | { kind: 'over'; metrics: MetricObject[] };

type Answerers = { [Q in Question]?: (given: Questions[Q]['given']) => Promise<Questions[Q]['answer']> };

export interface Conversation {
  /** Rejects when the other process has failed to reply, has ended, or is silent for longer than the question allows. */
  ask<Q extends Question>(what: Q, given: Questions[Q]['given']): Promise<Questions[Q]['answer']>;
  /** True where it was a question or an answer. */
  heard(message: Message): boolean;
  /** Nobody answers any more. */
  end(): void;
}

/** A process that is only busy replies to `pulse` within a second or two. `metricsText` waits for the `metrics` of all processes. */
const longestReplyMs: Record<Question, number> = {
  pulse: 4000,
  metrics: 2000,
  metricsText: 10_000,
  tokens: 5000,
};

export function openConversation(send: (message: Message) => void, answerers: Answerers): Conversation {
  let lastId = 0;
  const asked = new Map<number, { resolve(answer: unknown): void; reject(reason: Error): void }>();
  const reply = async (id: number, what: Question, given: unknown) => {
    const answer = answerers[what] as ((given: unknown) => Promise<unknown>) | undefined;
    send({ kind: 'answer', id, answer: await answer?.(given) });
  };
  const ask = async (what: Question, given: unknown) => {
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const late = () => reject(failure('ETIMEDOUT', `the other process did not reply to ${what} in time`));
    const timer = setTimeout(late, longestReplyMs[what]).unref();
    asked.set(id, { resolve, reject });
    try {
      send({ kind: 'question', id, what, given });
      return await promise;
    } finally {
      clearTimeout(timer);
      asked.delete(id);
    }
  };
  return {
    ask: ask as Conversation['ask'],
    heard(message) {
      if (message.kind === 'question') {
        const { id, what, given } = message;
        reply(id, what, given).catch((error) => send({ kind: 'noAnswer', id, reason: String(error) }));
      } else if (message.kind === 'answer') asked.get(message.id)?.resolve(message.answer);
      else if (message.kind === 'noAnswer') asked.get(message.id)?.reject(new Error(message.reason));
      else return false;
      return true;
    },
    end() {
      for (const { reject } of asked.values()) reject(failure('EPIPE', 'the other process has ended'));
    },
  };
}

/** Requests that fail with a system error are refused as unavailable, and may be repeated. */
const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
