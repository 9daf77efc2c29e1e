import type { MetricObject } from '@prometheus-io/client';
import type pg from 'pg';
import type { EndedSessions } from '../../people/sessions.ts';
import type { Taken } from '../../primitives/rate-limit.ts';

// The messages between the first process and the serving processes.

/** Messages that get a reply. */
export interface Questions {
  /** The first process asks for the metrics of a serving process. */
  metrics: { given: undefined; answer: MetricObject[] };
  /** The first process checks whether a serving process still responds. */
  pulse: { given: undefined; answer: true };
  /** A serving process asks for the metrics of all processes, as text. */
  metricsText: { given: undefined; answer: string };
  tokens: { given: { limit: number; burst: number; caller: string; least: number; most: number }; answer: Taken };
}

export type Question = keyof Questions;

export interface Beginning {
  connection: pg.ClientConfig;
  /** In the format of the setting. */
  masterKey: string;
  isEmbedded: boolean;
  processes: number;
  /** Whether this process runs background work, if it is enabled. */
  isWorker: boolean;
}

export type Message =
  | { kind: 'begin'; beginning: Beginning }
  | { kind: 'question'; id: number; what: Question; given: unknown }
  | { kind: 'answer'; id: number; answer: unknown }
  /** The question failed. */
  | { kind: 'noAnswer'; id: number; reason: string }
  /** The process serves requests at this address. `welcome` is the text for people who try the demo. */
  | { kind: 'serving'; url: string; welcome: string | undefined }
  | { kind: 'failed'; reason: string }
  /** From a serving process: whether it is ready. From the first process: whether all are. */
  | { kind: 'ready'; isReady: boolean }
  /** Another process has committed changes of these partners. */
  | { kind: 'committed'; clientIds: number[] }
  /** Another process may have ended sessions. */
  | { kind: 'sessionsEnded'; ended: EndedSessions }
  /**
   * Stops the process. If it is being replaced, it accepts no new connections and ends when its open ones are closed.
   */
  | { kind: 'stop'; isReplaced: boolean }
  /** The final metrics of a process that ends. */
  | { kind: 'over'; metrics: MetricObject[] };

type Answerers = { [Q in Question]?: (given: Questions[Q]['given']) => Promise<Questions[Q]['answer']> };

export interface Conversation {
  /**
   * Rejects when the other process has failed to reply, has ended, or is silent for longer than the question allows.
   */
  ask<Q extends Question>(what: Q, given: Questions[Q]['given']): Promise<Questions[Q]['answer']>;
  /** Handles a message; returns false if it was neither a question nor an answer. */
  receive(message: Message): boolean;
  /** The other process has ended: rejects all open questions. */
  end(): void;
}

/** A busy process replies to `pulse` within a second or two. `metricsText` waits for the `metrics` of all processes. */
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
    receive(message) {
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

/** A request that fails with a system error gets `unavailable`, so that its caller retries. */
const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
