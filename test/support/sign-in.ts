import { randomInt, randomUUID } from 'node:crypto';
import type { Role } from '@freebets/contract';
import type { Pool } from 'pg';
import { hashPassword } from '../../packages/server/src/people/passwords.ts';
import { stepAt, totpCode } from '../../packages/server/src/people/second-factor.ts';
import { type StaffAnswer, staffCall } from './staff.ts';

// People who sign in over HTTP. Each test has its own address, as behind a proxy, because failures slow an address
// down.

export const password = 'seven green bottles';
const hashed = await hashPassword(password);

export interface Person {
  staffId: string;
  email: string;
  address: string;
}

export const newAddress = (): string => `203.0.${randomInt(256)}.${randomInt(256)}`;

export async function newPerson(sql: Pool, role: Role = 'viewer'): Promise<Person> {
  const staffId = randomUUID();
  const email = `${role}-${staffId.slice(0, 8)}@example.com`;
  await sql.query(
    `INSERT INTO staff (staff_id, email, email_key, name, role, all_partners, password) VALUES ($1, $2, $2, $3, $4, true, $5)`,
    [staffId, email, `A ${role}`, role, hashed],
  );
  return { staffId, email, address: newAddress() };
}

/** The headers of a browser behind a proxy. */
export const from = (address: string, headers: Record<string, string> = {}): Record<string, string> => ({
  'sec-fetch-site': 'same-origin',
  'x-forwarded-for': address,
  ...headers,
});

export const signIn = (
  url: string,
  { email, address }: { email: string; address: string },
  body: object = {},
  { cookie, headers }: { cookie?: string; headers?: Record<string, string> } = {},
): Promise<StaffAnswer> =>
  staffCall(
    url,
    '/Session/SignIn',
    { email, password, ...body },
    cookie === undefined ? {} : { cookie },
    from(address, headers),
  );

/** The stored cookie; undefined if none was set. */
export const cookieOf = ({ headers }: StaffAnswer): string | undefined =>
  headers.get('set-cookie')?.match(/^[^=]+=[\w-]+/)?.[0];

/** The code of an authenticator app at a time, this many steps later. */
export const codeAt = (secret: string, iso: string, steps = 0): string =>
  totpCode(secret, stepAt(Date.parse(iso)) + steps);
