import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { consolePath, type Role, type StaffOperationName, staffOperations } from '@freebets/contract';
import type { Pool } from 'pg';
import { ask } from '../../packages/server/src/engine/statement.ts';
import { startSession } from '../../packages/server/src/people/sessions.ts';
import { newToken } from '../../packages/server/src/people/tokens.ts';
import { assertMatches } from './answers.ts';
import { masterKeyOfTests } from './database.ts';

// A signed-in staff member, inserted into the tables without a password.

export interface Staff {
  staffId: string;
  email: string;
  cookie: string;
}

/** All partners, or the given ones. */
export async function signedIn(sql: Pool, role: Role, partners: number[] | null = null): Promise<Staff> {
  const staffId = randomUUID();
  const email = `${role}-${staffId.slice(0, 8)}@example.com`;
  await sql.query(
    'INSERT INTO staff (staff_id, email, email_key, name, role, all_partners) VALUES ($1, $2, $2, $3, $4, $5)',
    [staffId, email, `A ${role}`, role, partners === null],
  );
  for (const clientId of partners ?? []) {
    await sql.query('INSERT INTO staff_partners (staff_id, client_id) VALUES ($1, $2)', [staffId, clientId]);
  }
  return { staffId, email, cookie: await session(sql, staffId) };
}

export async function session(sql: Pool, staffId: string): Promise<string> {
  const start = { staffId, address: null, userAgent: 'test', secondFactor: true };
  const { token, statement } = startSession(masterKeyOfTests, start);
  await ask(sql, statement);
  return `freebets=${token}`;
}

export const newInvitationToken = (): string => newToken(masterKeyOfTests, 'invitation');

export interface StaffAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into by tests.
  body: any;
  headers: Headers;
}

/** Calls like a page of the console, with or without a session cookie. */
export async function staffCall(
  url: string,
  path: string,
  body: unknown,
  { cookie }: { cookie?: string | undefined } = {},
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
): Promise<StaffAnswer> {
  const answer = await fetch(url + consolePath + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }), ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers };
}

/** The response of a call that must succeed. */
export async function acceptedStaffCall(...args: Parameters<typeof staffCall>): Promise<StaffAnswer['body']> {
  const { status, body } = await staffCall(...args);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The same by name, checked against the contract. */
export async function answered(
  url: string,
  name: StaffOperationName,
  body: object,
  who: Staff,
): Promise<StaffAnswer['body']> {
  const { path, response } = staffOperations[name];
  const answer = await acceptedStaffCall(url, path, body, who);
  assertMatches(response, answer);
  return answer;
}
