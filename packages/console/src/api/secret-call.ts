import { useEffect, useState } from 'react';
import { type AnswerOf, type Asked, type CallName, call } from './call.ts';

/** A call that is made when its screen is shown. What is sent and answered is a secret, and kept nowhere but in that screen. */
export function useSecretCall<N extends CallName>(name: N, body: Asked<N>): { data?: AnswerOf<N>; error?: Error } {
  const [answer, setAnswer] = useState<{ data?: AnswerOf<N>; error?: Error }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever shows it for another body shows another one.
  useEffect(() => {
    const left = new AbortController();
    call(name, body, left.signal).then(
      (data) => setAnswer({ data }),
      (error) => left.signal.aborted || setAnswer({ error }),
    );
    return () => left.abort();
  }, []);
  return answer;
}
