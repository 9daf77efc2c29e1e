import { done } from '../../domain/outcome.ts';
import type { StaffHandlers } from './call.ts';

export const systemHandlers: StaffHandlers<'SystemGet'> = {
  SystemGet: async ({ services }) => done(await services.readSystem()),
};
