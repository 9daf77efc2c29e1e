import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { ask } from '../engine/statement.ts';
import { findMemberId, hasMemberPassword, insertMember } from '../people/sql/administration.ts';

// People to try the console with. Their password is public, like all secrets of the demo.

export const demoStaffPassword = 'demo-staff-password';

/** Of that password: to compute it takes longer than the rest of these people. */
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

/** What it added. Who is there already is left as they are. */
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

/** Whether anybody can sign in as an admin of the demo. */
export const canDemoAdminSignIn = (pool: Pool): Promise<boolean> =>
  ask(pool, hasMemberPassword(demoAdmin.email, hashed));
