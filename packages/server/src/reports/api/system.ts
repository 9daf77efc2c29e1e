import type { StaffHandlers } from '../../calls/call.ts';
import { done } from '../../primitives/outcome.ts';

export const systemHandlers: StaffHandlers<'SystemGet'> = {
  SystemGet: async ({ services }) => done(await services.readSystem()),
};
