import { useQueryClient } from '@tanstack/react-query';
import { type CallName, type CallRequest, type CallResponse, call, needsConfirmation } from './call.ts';
import { type Kind, refreshKind } from './live.ts';

/** Calls an operation that changes something of this kind, then refreshes the queries that show it. */
export function useChange(kind: Kind): <N extends CallName>(name: N, body: CallRequest<N>) => Promise<CallResponse<N>> {
  const queries = useQueryClient();
  return async (name, body) => {
    const answer = await call(name, body).catch(async (error) => {
      if (needsConfirmation(error)) await refreshKind(queries, 'confirmation');
      throw error;
    });
    await refreshKind(queries, kind);
    return answer;
  };
}
