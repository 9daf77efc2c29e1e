import { QueryClient } from '@tanstack/react-query';
import { CallError } from './call.ts';

/** Only what may be better the next time is tried again. */
const mayPass = (error: Error): boolean => error instanceof CallError && [0, 429, 503].includes(error.status);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 2 && mayPass(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
