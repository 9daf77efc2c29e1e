import { useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, type Asked, type CallName, call, needsConfirmation } from './call.ts';
import { type Kind, readAgainAbout } from './live.ts';

/** Changes a thing of this kind, and has what shows it read again. */
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
