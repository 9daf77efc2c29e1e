import { call } from '../../api/call.ts';

/** The first event of this number or a later one. */
export const eventFrom = async (clientId: number, sequence: number, signal?: AbortSignal) =>
  (await call('EventsList', { client_id: clientId, after: sequence - 1, limit: 1 }, signal)).events[0];
