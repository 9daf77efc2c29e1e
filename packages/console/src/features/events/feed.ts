import { CallError, call } from '../../api/call.ts';

/** The first event of this number or a later one. */
export async function eventFrom(clientId: number, sequence: number, signal?: AbortSignal) {
  try {
    return (await call('EventsList', { client_id: clientId, after: sequence - 1, limit: 1 }, signal)).events[0];
  } catch (error) {
    // One that is further ahead than the next.
    if (error instanceof CallError && error.error === 'invalid_request') return undefined;
    throw error;
  }
}
