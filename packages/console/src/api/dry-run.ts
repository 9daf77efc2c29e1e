import { useQuery } from '@tanstack/react-query';
import { type Asked, type CallName, call } from './call.ts';

/** What would come of it, decided by the server as it stands at this moment; never an answer to another question. */
export const useDryRun = <N extends CallName>(name: N, body: Asked<N>, isAsked = true) =>
  useQuery({
    queryKey: [name, 'dry run', body],
    queryFn: ({ signal }) => call(name, { ...body, dry_run: true } as unknown as Asked<N>, signal),
    enabled: isAsked,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
