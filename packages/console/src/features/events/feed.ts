import { CallError, call } from '../../api/call.ts';

/** The first event of this number or a later one; none where this is the next; "ahead" where others come before it. */
export async function eventFrom(clientId: number, sequence: number, signal?: AbortSignal) {
  try {
    return (await call('EventsList', { client_id: clientId, after: sequence - 1, limit: 1 }, signal)).events[0];
  } catch (error) {
    if (error instanceof CallError && error.error === 'invalid_request' && error.details[0]?.field === 'after')
      return 'ahead';
    throw error;
  }
}
