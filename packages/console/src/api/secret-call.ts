import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type AnswerOf, type Asked, type CallName, call } from './call.ts';

/**
 * A call that is made when its screen is shown. What is sent and answered is a secret: it is kept as long as that screen is there, and
 * known by no key.
 */
export function useSecretCall<N extends CallName>(name: N, body: Asked<N>) {
  const { mutate, data, error } = useMutation<AnswerOf<N>>({ mutationFn: () => call(name, body), gcTime: 0 });
  useEffect(() => mutate(), [mutate]);
  return { data, error };
}
