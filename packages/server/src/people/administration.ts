import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Invitation, Member } from '@freebets/contract';
import type { PoolClient } from 'pg';
import { type ChangeContext, change, type Done, Refused, requireUnchanged, withoutSession } from '../audit/change.ts';
import { isLostRace } from '../engine/faults.ts';
import { ask } from '../engine/statement.ts';
import { formatInstant, timeText } from '../primitives/amounts.ts';
import type { MasterKey } from '../primitives/sealing.ts';
import { type Confirmed, powerOf, useUpConfirmation } from './confirmations/confirmations.ts';
import { gainsApproval, mayApproveDrafts, unionOf } from './confirmations/rules.ts';
import { addVouchedBy, setVouchedBy } from './confirmations/sql.ts';
import { isLocked, subjectOfEmail } from './failures.ts';
import {
  findMember,
  findMembersOfAddress,
  findMissingPartners,
  insertMember,
  listMembers,
  lockAdmins,
  lockMember,
  type MemberRow,
  type MemberSettings,
  type NewMember,
  resetSecondFactor,
  type Scope,
  setMemberDisabled,
  updateMember,
} from './sql/administration.ts';
import { insertInvitation, removeInvitations } from './sql/invitations.ts';
import { endSession, endSessions, type SessionTimes } from './sql/sessions.ts';
import { hashToken, newToken } from './tokens.ts';

// Staff administration: invitations, roles, scopes, locks and sessions. At least one admin of all partners can always
// sign in, and admins can't grant rights that they lack.

export interface StaffContext extends ChangeContext {
  /** The scope of the admin who makes the change. Members outside it look as if they did not exist. */
  scope: Scope;
  times: SessionTimes;
}

export interface LinkContext extends StaffContext {
  masterKey: MasterKey;
  publicUrl: string;
}

export function memberBody(found: MemberRow): Member {
  const { email_key, failures, failed_at, now, created_at, last_seen_at, invited_until, ...row } = found;
  const isLockedOut = isLocked({ subject: subjectOfEmail(email_key), failures, failed_at, now });
  return {
    ...row,
    status: row.status === 'active' && isLockedOut ? 'locked' : row.status,
    created_at: formatInstant(created_at),
    last_seen_at: timeText(last_seen_at),
    invited_until: timeText(invited_until),
  };
}

const pageSize = 1000;

/** Returns all visible members, ordered by e-mail address. */
export async function allStaff({ pool, times, scope }: Omit<StaffContext, 'by'>): Promise<Member[]> {
  const all: MemberRow[] = [];
  let page: MemberRow[];
  do {
    page = await listMembers(pool, times, scope, all.at(-1)?.staff_id ?? null, pageSize);
    all.push(...page);
  } while (page.length === pageSize);
  return all.map(memberBody);
}

/** The fields of a member that the audit log stores. */
const recordOf = ({ staff_id: _, created_at: _at, last_seen_at: _seen, ...shown }: Member) => shown;

/** Updates an existing member. */
const changeMember = <T>(
  context: StaffContext,
  staffId: string,
  work: (connection: PoolClient, member: Member) => Promise<T>,
): Promise<{ member: Member; answer: T }> =>
  change(context, (connection) =>
    protectLastAdmin(connection, async () => {
      const before = await lockedMember(connection, context, staffId);
      const answer = await work(connection, before);
      const member = await shownMember(connection, context, staffId);
      const needsConfirmation = gainsApproval(before, member);
      const confirmed = needsConfirmation ? await confirmedOf(connection, context, before, member) : {};
      if (needsConfirmation) await vouch(connection, context, staffId, confirmed, false);
      return { answer: { member, answer }, ...differenceOf(staffId, before, member, confirmed, needsConfirmation) };
    }),
  );

function differenceOf(
  staffId: string,
  before: Member | null,
  after: Member,
  confirmed: Confirmed,
  needsConfirmation: boolean,
): Pick<Done<unknown>, 'changed' | 'power'> {
  const [was, is] = [before && recordOf(before), recordOf(after)];
  const target = { kind: 'staff', id: staffId };
  const changed = isDeepStrictEqual(was, is) ? null : { target, before: was, after: { ...is, ...confirmed } };
  return { changed, ...(needsConfirmation && { power: powerOf(confirmed) }) };
}

/** The state of a person that a second admin confirms, without fields that change by themselves. */
const confirmedStateOf = ({ email, name, role, partners, status, second_factor }: Member) => ({
  email,
  name,
  role,
  partners,
  status: status === 'locked' ? 'active' : status,
  second_factor,
});

/** Uses up the confirmation of a second admin. */
const confirmedOf = (
  connection: PoolClient,
  context: StaffContext,
  before: Member | null,
  after: Member,
): Promise<Confirmed> =>
  useUpConfirmation(connection, context, {
    target: { kind: 'staff', id: before === null ? '' : after.staff_id },
    partners: before === null ? after.partners : unionOf(before.partners, after.partners),
    before: before && confirmedStateOf(before),
  });

/**
 * Stores the only admin behind an account, or none if a second one confirmed it. A new link replaces an earlier admin,
 * whose link is void.
 */
async function vouch(
  connection: PoolClient,
  { by: { actor } }: StaffContext,
  staffId: string,
  { confirmation }: Confirmed,
  isLink: boolean,
): Promise<void> {
  if (actor.kind !== 'staff' || confirmation !== undefined)
    return void (await ask(connection, setVouchedBy(staffId, null)));
  await ask(connection, isLink ? setVouchedBy(staffId, actor.staff_id) : addVouchedBy(staffId, actor.staff_id));
}

/** Refuses to remove the last admin of all partners who can sign in. */
async function protectLastAdmin<T>(connection: PoolClient, work: () => Promise<T>): Promise<T> {
  const before = await ask(connection, lockAdmins());
  const done = await work();
  if (before > 0 && (await ask(connection, lockAdmins())) === 0) throw new Refused('last_admin');
  return done;
}

async function shownMember(connection: PoolClient, { times, scope }: StaffContext, staffId: string): Promise<Member> {
  const found = await findMember(connection, times, scope, staffId);
  if (found === undefined) throw new Refused('staff_not_found');
  return memberBody(found);
}

async function lockedMember(connection: PoolClient, context: StaffContext, staffId: string): Promise<Member> {
  await ask(connection, lockMember(staffId));
  return shownMember(connection, context, staffId);
}

/** Refuses partners that don't exist or are outside the admin's scope. */
async function checkScope(connection: PoolClient, { scope }: StaffContext, partners: Scope): Promise<void> {
  if (partners === null) {
    if (scope !== null) throw new Refused('not_allowed');
    return;
  }
  const missing = await ask(connection, findMissingPartners(partners));
  const refused = partners.filter((id) => missing.includes(id) || (scope !== null && !scope.includes(id)));
  if (refused.length === 0) return;
  throw new Refused('partner_not_found', [
    { field: 'partners', reason: `contains unknown partners: ${refused.join(', ')}` },
  ]);
}

const isOwn = ({ by: { actor } }: StaffContext, staffId: string): boolean =>
  actor.kind === 'staff' && actor.staff_id === staffId;

function refuseOwn(context: StaffContext, staffId: string): void {
  if (isOwn(context, staffId)) throw new Refused('own_account');
}

/** A new member needs all settings. */
export interface Invited extends MemberSettings {
  email: string;
  isSso: boolean;
}

/**
 * Invites a new member, or again one who has not accepted yet. The new link voids earlier ones; omitted settings stay.
 */
export const inviteStaff = (context: LinkContext, invited: Invited): Promise<Invitation> =>
  invite(context, invited).catch((error) => {
    // Another admin has just invited the same address, so the account exists now.
    if (isLostRace(error)) return invite(context, invited);
    throw error;
  });

const invite = (context: LinkContext, invited: Invited): Promise<Invitation> =>
  change(context, (connection) =>
    protectLastAdmin(connection, async () => {
      if (invited.partners !== undefined) await checkScope(connection, context, invited.partners);
      // To an admin, an account out of scope must look as if it did not exist. It is not changed: the invitation gets
      // an account of its own.
      const { visibleId: known, isTaken } = await ask(connection, findMembersOfAddress(invited.email, context.scope));
      const before = known === undefined ? null : await lockInvitedMember(connection, context, known);
      const staffId = known ?? randomUUID();
      if (known === undefined)
        await insertMember(connection, { staffId, ...newMemberSettings(invited), isDuplicate: isTaken });
      else await updateMember(connection, staffId, invited);
      const invitation = await makeLink(connection, context, staffId, invited.isSso);
      const after = await shownMember(connection, context, staffId);
      // Until the person accepts, the admin has the link, and with it the account.
      const needsConfirmation = mayApproveDrafts(after.role);
      const confirmed = needsConfirmation ? await confirmedOf(connection, context, before, after) : {};
      await vouch(connection, context, staffId, confirmed, true);
      return { answer: invitation, ...differenceOf(staffId, before, after, confirmed, needsConfirmation) };
    }),
  );

/** Throws if a setting is missing. */
function newMemberSettings({ email, name, role, partners }: Invited): Omit<NewMember, 'staffId'> {
  if (name !== undefined && role !== undefined && partners !== undefined) return { email, name, role, partners };
  const missing = Object.entries({ name, role, partners }).filter(([, value]) => value === undefined);
  throw new Refused(
    'invalid_request',
    missing.map(([field]) => ({ field, reason: 'is required for a new person' })),
  );
}

async function lockInvitedMember(connection: PoolClient, context: StaffContext, staffId: string): Promise<Member> {
  refuseOwn(context, staffId);
  const found = await lockedMember(connection, context, staffId);
  const { status } = found;
  if (status !== 'invited') {
    const reason = status === 'disabled' ? 'belongs to a disabled person' : 'belongs to an existing person';
    throw new Refused('already_exists', [{ field: 'email', reason }]);
  }
  return found;
}

/** The token follows the #, so browsers do not send it and no log contains it. */
async function makeLink(
  connection: PoolClient,
  context: LinkContext,
  staffId: string,
  isSso: boolean,
): Promise<Invitation> {
  const token = newToken(context.masterKey, 'invitation');
  const expiresAt = await ask(connection, insertInvitation(hashToken(token), staffId, isSso));
  const { email } = await shownMember(connection, context, staffId);
  const link = `${context.publicUrl}/console/invitation#${token}`;
  return { staff_id: staffId, email, link, expires_at: formatInstant(expiresAt) };
}

/** Creates a link for setting a new password. The old password works until the link is used. */
export async function resetStaffPassword(context: LinkContext, staffId: string, isSso: boolean): Promise<Invitation> {
  const { answer } = await changeMember(context, staffId, async (connection, { status }) => {
    if (status === 'disabled') throw new Refused('staff_not_found', [{ field: 'email', reason: 'is disabled' }]);
    return makeLink(connection, context, staffId, isSso);
  });
  return answer;
}

type Rights = Pick<Member, 'role' | 'partners'>;

const isScopeChanged = ({ partners }: Member, wanted: Scope | undefined): boolean =>
  wanted !== undefined && !isDeepStrictEqual(partners, wanted?.toSorted((a, b) => a - b) ?? null);

/** Updates the given settings. Fails if the rights have changed since the caller read them. */
export async function updateStaff(
  context: StaffContext,
  staffId: string,
  settings: MemberSettings,
  asRead?: Partial<Rights>,
): Promise<Member> {
  const { member } = await changeMember(context, staffId, async (connection, before) => {
    requireUnchanged<Rights>(asRead, before);
    const { role = before.role, partners } = settings;
    const isMore = role !== before.role || isScopeChanged(before, partners);
    if (isMore) refuseOwn(context, staffId);
    if (partners !== undefined) await checkScope(connection, context, partners);
    await updateMember(connection, staffId, settings);
    if (isMore) await ask(connection, endSessions(staffId));
  });
  return member;
}

export async function disableStaff(context: StaffContext, staffId: string): Promise<Member> {
  const { member } = await changeMember(context, staffId, async (connection) => {
    refuseOwn(context, staffId);
    await ask(connection, setMemberDisabled(staffId, true));
    await ask(connection, endSessions(staffId));
    await ask(connection, removeInvitations(staffId));
  });
  return member;
}

export async function enableStaff(context: StaffContext, staffId: string): Promise<Member> {
  const { member } = await changeMember(context, staffId, async (connection) => {
    refuseOwn(context, staffId);
    await ask(connection, setMemberDisabled(staffId, false));
  });
  return member;
}

export async function resetStaffSecondFactor(context: StaffContext, staffId: string): Promise<Member> {
  const { member } = await changeMember(context, staffId, async (connection) => {
    refuseOwn(context, staffId);
    await resetSecondFactor(connection, staffId);
    await ask(connection, endSessions(staffId));
  });
  return member;
}

/** Ends one session or all of them. Returns how many it ended. */
export async function endStaffSessions(context: StaffContext, staffId: string, sessionId?: string): Promise<number> {
  const own = isOwn(context, staffId) ? withoutSession(context) : context;
  const { answer } = await changeMember(own, staffId, async (connection) => {
    if (sessionId === undefined) return ask(connection, endSessions(staffId));
    if (!(await ask(connection, endSession(staffId, sessionId)))) throw new Refused('session_not_found');
    return 1;
  });
  return answer;
}

/** Records that an admin exported the staff list. */
export const recordReview = (context: ChangeContext, people: number): Promise<void> =>
  change(context, async () => ({
    answer: undefined,
    changed: { target: { kind: 'staff', id: '' }, before: null, after: { people } },
  }));
