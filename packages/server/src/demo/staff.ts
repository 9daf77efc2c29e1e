import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ask } from '../engine/statement.ts';
import { findMemberId, hasMemberPassword, insertMember } from '../people/sql/administration.ts';

// Staff accounts for trying the console. Their password is public, like all secrets of the demo.

export const demoStaffPassword = 'demo-staff-password';

/** The hash of that password. Computing it would take longer than adding the accounts. */
const hashed = '$argon2id$v=19$m=19456,t=2,p=1$ZnJlZWJldHMgZGVtbyBzdA$3B+N6Nm3E4kDzziAZy076flJS5mPxcB3EmMLEF1GUaY';

export const demoAdmin = { email: 'admin@demo.example', name: 'Demo admin', role: 'admin' } as const;

const ofAll = [
  demoAdmin,
  { email: 'manager@demo.example', name: 'Demo manager', role: 'manager' },
  { email: 'auditor@demo.example', name: 'Demo auditor', role: 'auditor' },
] as const;

const ofOne = [
  { email: 'second@demo.example', name: 'Second manager', role: 'manager' },
  { email: 'support@demo.example', name: 'Demo support', role: 'support' },
] as const;

/** Returns what it added. Existing accounts are not changed. */
export async function addDemoStaff(connection: PoolClient, clientId: number): Promise<string[]> {
  const added: string[] = [];
  const people = [
    ...ofAll.map((person) => ({ ...person, partners: null })),
    ...ofOne.map((person) => ({ ...person, partners: [clientId] })),
  ];
  for (const person of people) {
    if ((await ask(connection, findMemberId(person.email))) !== undefined) continue;
    await insertMember(connection, { staffId: randomUUID(), ...person, password: hashed });
    added.push(person.email);
  }
  return added;
}

/** Whether the demo's admin can sign in with the demo password. */
export const canDemoAdminSignIn = (pool: Pool): Promise<boolean> =>
  ask(pool, hasMemberPassword(demoAdmin.email, hashed));
