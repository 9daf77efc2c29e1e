import assert from 'node:assert/strict';
import type { Role } from '@freebets/contract';
import type { Connection } from '../../engine/connection.ts';
import { ask, named, type Statement } from '../../engine/statement.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';
import type { SessionTimes } from './sessions.ts';
import { emailKey, replaceRecoveryCodes } from './staff.ts';

// Members of staff. Every change first locks the admins, in one order, so that two servers can't each remove the
// other's last admin.

/** Null for all partners. */
export type Scope = readonly number[] | null;

export interface MemberRow {
  staff_id: string;
  email: string;
  email_key: string;
  name: string;
  role: Role;
  partners: number[] | null;
  status: 'invited' | 'active' | 'disabled';
  /** How many sign-ins have failed, and when the last one did. No failures are a count of 0. */
  failures: number;
  failed_at: WorldInstant;
  now: WorldInstant;
  second_factor: boolean;
  sso: boolean;
  sessions: number;
  created_at: WorldInstant;
  last_seen_at: WorldInstant | null;
  invited_until: WorldInstant | null;
}

/** Whether the session `s` is still valid under the settings $1 and $2. */
const isLive = `s.seen_at > world_now() - $1::int * interval '1 minute'
  AND s.created_at > world_now() - $2::int * interval '1 hour'`;

const memberColumns = `p.staff_id, p.email, p.email_key, p.name, p.role,
  CASE WHEN NOT p.all_partners THEN
    ARRAY(SELECT client_id FROM staff_partners o WHERE o.staff_id = p.staff_id ORDER BY 1) END AS partners,
  CASE WHEN p.disabled_at IS NOT NULL THEN 'disabled'
    WHEN p.password IS NULL AND p.oidc_subject IS NULL THEN 'invited' ELSE 'active' END AS status,
  coalesce(f.failures, 0) AS failures, coalesce(f.failed_at, p.created_at) AS failed_at, world_now() AS now,
  p.totp_since IS NOT NULL AS second_factor, p.created_at,
  p.oidc_subject IS NOT NULL OR p.password IS NULL AND EXISTS (
    SELECT FROM invitations i WHERE i.staff_id = p.staff_id AND i.used_at IS NULL AND i.sso) AS sso,
  (SELECT count(*) FROM sessions s WHERE s.staff_id = p.staff_id AND ${isLive}) AS sessions,
  (SELECT max(s.seen_at) FROM sessions s WHERE s.staff_id = p.staff_id) AS last_seen_at,
  (SELECT max(i.expires_at) FROM invitations i
   WHERE i.staff_id = p.staff_id AND i.used_at IS NULL AND i.expires_at > world_now()) AS invited_until`;

const members = `staff p LEFT JOIN sign_in_failures f ON f.subject = 'email ' || p.email_key`;

/** Whether the member's scope is within $3. A member with a wider scope looks as if they did not exist. */
const isWithin = `($3::int[] IS NULL OR NOT p.all_partners AND NOT EXISTS
  (SELECT FROM staff_partners o WHERE o.staff_id = p.staff_id AND o.client_id <> ALL ($3)))`;

const selectPage = named<MemberRow>(
  'list_members',
  `SELECT ${memberColumns} FROM ${members} WHERE ${isWithin}
     AND ($4::uuid IS NULL OR p.email_key > (SELECT b.email_key FROM staff b WHERE b.staff_id = $4))
     AND ($6::text IS NULL OR strpos(split_part(p.email_key, ' ', 1), lower($6)) > 0
       OR strpos(lower(p.name), lower($6)) > 0)
   ORDER BY p.email_key LIMIT $5`,
);

const selectLastAction = named<{ at: WorldInstant | null }, WorldInstant | null>(
  'last_act_of_member',
  'SELECT max(at) AS at FROM audit WHERE actor = $1',
  ([row]) => row?.at ?? null,
);

/**
 * The newest session, or the newest audit record, which also covers sessions removed long ago. Runs a statement per
 * member, because a database on many machines refuses a subquery on a distributed table for rows of a reference table.
 */
async function withLastUse(connection: Connection, row: MemberRow): Promise<MemberRow> {
  const at = await ask(connection, selectLastAction([row.staff_id]));
  return { ...row, last_seen_at: at === null ? row.last_seen_at : Math.max(at, row.last_seen_at ?? at) };
}

/**
 * Ordered by e-mail address, from the member after the one given; with `search`, only members with that text in their
 * name or address.
 */
export async function listMembers(
  connection: Connection,
  { idleMin, hours }: SessionTimes,
  scope: Scope,
  behind: string | null,
  limit: number,
  search: string | null = null,
): Promise<MemberRow[]> {
  const found: MemberRow[] = [];
  for (const row of await ask(connection, selectPage([idleMin, hours, scope, behind, limit, search]))) {
    found.push(await withLastUse(connection, row));
  }
  return found;
}

const selectOne = named<MemberRow, MemberRow | undefined>(
  'find_member',
  `SELECT ${memberColumns} FROM ${members} WHERE ${isWithin} AND p.staff_id = $4`,
  ([row]) => row,
);

export async function findMember(
  connection: Connection,
  { idleMin, hours }: SessionTimes,
  scope: Scope,
  staffId: string,
): Promise<MemberRow | undefined> {
  const row = await ask(connection, selectOne([idleMin, hours, scope, staffId]));
  return row && withLastUse(connection, row);
}

const selectId = named<{ staff_id: string }, string | undefined>(
  'find_member_by_email',
  'SELECT staff_id FROM staff WHERE email_key = $1',
  ([row]) => row?.staff_id,
);

export const findMemberId = (email: string): Statement<string | undefined> => selectId([emailKey(email)]);

export interface KnownAddress {
  /** Undefined if no account of this address is within the scope. */
  visibleId: string | undefined;
  /** An account has this address, in or out of scope. */
  isTaken: boolean;
}

const selectOfAddress = named<{ staff_id: string; is_visible: boolean }, KnownAddress>(
  'find_members_of_address',
  `SELECT p.staff_id, ${isWithin} AS is_visible FROM staff p
   WHERE p.email_key = $1 OR p.email_key > $1 || ' ' AND p.email_key < $2 ORDER BY p.email_key`,
  (rows) => ({ visibleId: rows.find(({ is_visible }) => is_visible)?.staff_id, isTaken: rows.length > 0 }),
);

/** Returns the account itself rather than one of its duplicates. */
export const findMembersOfAddress = (email: string, scope: Scope): Statement<KnownAddress> =>
  selectOfAddress([emailKey(email), `${emailKey(email)}!`, scope]);

const canAdminister = `role = 'admin' AND all_partners AND disabled_at IS NULL
  AND (password IS NOT NULL OR oidc_subject IS NOT NULL)`;

const selectAdmins = named<{ staff_id: string }, number>(
  'lock_admins',
  `SELECT staff_id FROM staff WHERE ${canAdminister} ORDER BY staff_id FOR NO KEY UPDATE`,
  (rows) => rows.length,
);

/** Locks the admins of all partners who can sign in, and counts them. */
export const lockAdmins = (): Statement<number> => selectAdmins();

const lockOne = named('lock_member', 'SELECT FROM staff WHERE staff_id = $1 FOR NO KEY UPDATE');

export const lockMember = (staffId: string): Statement => lockOne([staffId]);

export interface NewMember {
  staffId: string;
  email: string;
  name: string;
  role: Role;
  partners: Scope;
  /** Another account has this address: this one can't sign in, and its invitation can't be accepted. */
  isDuplicate?: boolean;
  /** The hash; missing before an invitation is accepted. */
  password?: string;
}

const insert = named(
  'insert_member',
  `INSERT INTO staff (staff_id, email, email_key, name, role, all_partners, password) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertMember(connection: Connection, member: NewMember): Promise<void> {
  const { staffId, email, name, role, partners, password } = member;
  // An address has no space, so the key of a duplicate is unique and no sign-in finds it.
  const key = member.isDuplicate ? `${emailKey(email)} ${staffId}` : emailKey(email);
  await ask(connection, insert([staffId, email, key, name, role, partners === null, password]));
  await replacePartners(connection, staffId, partners);
}

const selectPassword = named<object, boolean>(
  'has_member_password',
  'SELECT FROM staff WHERE email_key = $1 AND password = $2 AND disabled_at IS NULL',
  (rows) => rows.length > 0,
);

/** Whether a member who can sign in has this password hash. */
export const hasMemberPassword = (email: string, hashed: string): Statement<boolean> =>
  selectPassword([emailKey(email), hashed]);

const update = named(
  'update_member',
  `UPDATE staff SET name = coalesce($2, name), role = coalesce($3, role), all_partners = coalesce($4, all_partners)
   WHERE staff_id = $1`,
);

export interface MemberSettings {
  name?: string;
  role?: Role;
  partners?: Scope;
}

/** Changes only the given settings. */
export async function updateMember(connection: Connection, staffId: string, settings: MemberSettings): Promise<void> {
  const { name, role, partners } = settings;
  await ask(connection, update([staffId, name, role, partners === undefined ? undefined : partners === null]));
  if (partners !== undefined) await replacePartners(connection, staffId, partners);
}

const deletePartners = named('delete_partners_of_member', 'DELETE FROM staff_partners WHERE staff_id = $1');
const insertPartners = named(
  'insert_partners_of_member',
  'INSERT INTO staff_partners (staff_id, client_id) SELECT $1, unnest($2::int[])',
);

async function replacePartners(connection: Connection, staffId: string, partners: Scope): Promise<void> {
  await ask(connection, deletePartners([staffId]));
  if (partners !== null) await ask(connection, insertPartners([staffId, partners]));
}

const selectMissing = named<{ missing: number[] }, number[]>(
  'find_missing_partners',
  `SELECT ARRAY(SELECT id FROM unnest($1::int[]) AS id
     WHERE NOT EXISTS (SELECT FROM partners p WHERE p.client_id = id)) AS missing`,
  ([row]) => {
    assert(row, 'an array is one row');
    return row.missing;
  },
);

export const findMissingPartners = (clientIds: readonly number[]): Statement<number[]> => selectMissing([clientIds]);

const disable = named(
  'disable_member',
  'UPDATE staff SET disabled_at = least(disabled_at, world_now()) WHERE staff_id = $1',
);
const enable = named('enable_member', 'UPDATE staff SET disabled_at = NULL WHERE staff_id = $1');

export const setMemberDisabled = (staffId: string, isDisabled: boolean): Statement =>
  (isDisabled ? disable : enable)([staffId]);

const removeSecondFactor = named(
  'remove_second_factor',
  'UPDATE staff SET totp_secret = NULL, totp_since = NULL, totp_next = NULL, totp_last_step = NULL WHERE staff_id = $1',
);

export async function resetSecondFactor(connection: Connection, staffId: string): Promise<void> {
  await ask(connection, removeSecondFactor([staffId]));
  for (const statement of replaceRecoveryCodes(staffId, [])) await ask(connection, statement);
}
