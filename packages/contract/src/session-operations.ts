import { closed } from './formats.ts';
import { Person } from './people.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';

export const sessionOperations = {
  SessionGet: {
    ...staffPaths.SessionGet,
    tag: 'Session',
    summary: 'Who is signed in',
    request: closed({}),
    response: Person,
    errors: [],
  },
} as const satisfies Partial<StaffOperations>;
