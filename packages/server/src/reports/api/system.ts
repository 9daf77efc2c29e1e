import type { SystemGetResponse } from '@freebets/contract';
import type { Handlers } from '../../calls/call.ts';
import { done } from '../../primitives/outcome.ts';

export const systemHandlers: Handlers<'SystemGet', { readSystem(): Promise<SystemGetResponse> }> = {
  SystemGet: async ({ services }) => done(await services.readSystem()),
};
