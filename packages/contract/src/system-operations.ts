import { closed } from './formats.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';
import { SystemGetResponse } from './system.ts';

export const systemOperations = {
  SystemGet: {
    ...staffPaths.SystemGet,
    tag: 'System',
    summary: 'How the service is doing; at most a second old',
    request: closed({}),
    response: SystemGetResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperations>;
