import { QueryClient } from '@tanstack/react-query';
import { mayPass } from './call.ts';

// Whether the browser thinks that it is online says nothing about a server on the same machine or network.
const networkMode = 'always';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: (count, error) => count < 2 && mayPass(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // With this network mode it is off unless it is said.
      refetchOnReconnect: true,
    },
    mutations: { networkMode, retry: false },
  },
});
