// The roles of staff. Imports nothing, so that the console can use it without the schemas.

export const roles = ['viewer', 'support', 'manager', 'admin', 'auditor'] as const;
export type Role = (typeof roles)[number];

/** The lowest roles that may call an operation. `anybody` includes callers who have not signed in. */
export type Least = readonly Role[] | 'anybody';

/** Each role includes the rights of all lower roles. An auditor can see the same as a viewer, and changes nothing. */
const ranks: Record<Role, number> = { auditor: 0, viewer: 0, support: 1, manager: 2, admin: 3 };

const mayBe = (role: Role, least: Role): boolean =>
  role === least || (least !== 'auditor' && ranks[role] >= ranks[least]);

export const may = (role: Role, least: Least): boolean =>
  least === 'anybody' || least.some((each) => mayBe(role, each));
