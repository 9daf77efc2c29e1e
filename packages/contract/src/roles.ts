// Who of the staff may do what. It imports nothing, so that the console can have it without the schemas.

export const roles = ['viewer', 'support', 'manager', 'admin', 'auditor'] as const;
export type Role = (typeof roles)[number];

/** The least roles that may; anybody: also those who have not signed in. */
export type Least = readonly Role[] | 'anybody';

/** Each of them may what those below may. An auditor sees what a viewer sees, and changes nothing. */
const ranks: Record<Role, number> = { auditor: 0, viewer: 0, support: 1, manager: 2, admin: 3 };

const mayBe = (role: Role, least: Role): boolean =>
  role === least || (least !== 'auditor' && ranks[role] >= ranks[least]);

export const may = (role: Role, least: Least): boolean =>
  least === 'anybody' || least.some((each) => mayBe(role, each));
