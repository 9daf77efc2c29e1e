import { useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, type Asked, type CallName, call } from './call.ts';
import { readAgainAbout } from './live.ts';

/** Changes a thing of this kind, and has what shows it read again. */
export function useChange(kind: string): <N extends CallName>(name: N, body: Asked<N>) => Promise<AnswerOf<N>> {
  const queries = useQueryClient();
  return async (name, body) => {
    const answer = await call(name, body);
    await readAgainAbout(queries, kind);
    return answer;
  };
}
