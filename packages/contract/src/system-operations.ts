import { closed } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { SystemGetResponse } from './system.ts';

export const systemOperations = {
  SystemGet: {
    tag: 'System',
    summary: 'How the service is doing; at most a second old',
    request: closed({}),
    response: SystemGetResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
