import { useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, type Asked, type CallName, call, needsConfirmation } from './call.ts';
import { type Kind, readAgainAbout } from './live.ts';

/** Calls an operation that changes something of this kind, then refreshes the queries that show it. */
export function useChange(kind: Kind): <N extends CallName>(name: N, body: Asked<N>) => Promise<AnswerOf<N>> {
  const queries = useQueryClient();
  return async (name, body) => {
    const answer = await call(name, body).catch(async (error) => {
      if (needsConfirmation(error)) await readAgainAbout(queries, 'confirmation');
      throw error;
    });
    await readAgainAbout(queries, kind);
    return answer;
  };
}
