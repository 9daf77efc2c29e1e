import { type Client, refusalsOf, runJob, type Sent } from '@freebets/client';
import type { JobBody, JobItem, JobRefusal, OperationName, RequestOf } from '@freebets/contract';
import { type Asked, CallError, call } from '../../api/call.ts';

// A list is handed over by the same code that partners use: in parts, a few at a time, and again where it was broken off.

const attempts = 5;
const mayPass = (error: unknown): boolean => error instanceof CallError && [0, 429, 503].includes(error.status);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A part leaves little room in the body for anything else. */
const reasonOfPart = 200;

/** Every call is idempotent, so what failed by the connection is sent again. */
function clientWith(reason: string | undefined, signal?: AbortSignal): Client {
  const reasonOf = (name: OperationName) => (name === 'JobAdd' ? reason?.slice(0, reasonOfPart) : reason);
  const changes: OperationName[] = ['JobCreate', 'JobAdd', 'JobStart'];
  return {
    async call<N extends OperationName>(name: N, request: RequestOf<N>) {
      const body = { ...request, ...(changes.includes(name) && { reason: reasonOf(name) }) } as unknown as Asked<N>;
      for (let attempt = 1; ; attempt++) {
        signal?.throwIfAborted();
        try {
          return (await call(name, body, signal)) as Awaited<ReturnType<Client['call']>> as never;
        } catch (error) {
          if (!mayPass(error) || attempt === attempts) throw error;
        }
        await pause(250 * 2 ** attempt);
      }
    },
  };
}

export interface Sending {
  job: RequestOf<'JobCreate'>;
  items: JobItem[];
  reason: string;
  signal: AbortSignal;
  onSent(sent: Sent): void;
}

export const sendList = ({ job, items, reason, signal, onSent }: Sending): Promise<JobBody> =>
  runJob(clientWith(reason, signal), job, items, onSent);

export async function allRefusals(clientId: number, jobId: string): Promise<JobRefusal[]> {
  return Array.fromAsync(refusalsOf(clientWith(undefined), { client_id: clientId, job_id: jobId }));
}
