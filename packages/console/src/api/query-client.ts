import { QueryClient } from '@tanstack/react-query';
import { CallError } from './call.ts';

// Whether the browser thinks that it is online says nothing about a server on the same machine or network.
const networkMode = 'always';

/** Only what may be better the next time is tried again. */
const mayPass = (error: Error): boolean => error instanceof CallError && [0, 429, 503].includes(error.status);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: (count, error) => count < 2 && mayPass(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode, retry: false },
  },
});
