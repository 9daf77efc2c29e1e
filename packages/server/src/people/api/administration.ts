import { type Member, StaffId } from '@freebets/contract';
import { csvMark, csvRow } from '@freebets/contract/csv';
import type { Handlers, StaffCall } from '../../calls/call.ts';
import { type ChangeServices, changeContextOf } from '../../calls/changes.ts';
import { cursorsOf, isA } from '../../calls/cursor.ts';
import { type FileServices, fileInTurn } from '../../calls/report-turns.ts';
import { signedIn } from '../../calls/signed-in.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import type { MasterKey } from '../../primitives/sealing.ts';
import {
  allStaff,
  disableStaff,
  enableStaff,
  endStaffSessions,
  inviteStaff,
  memberBody,
  recordReview,
  resetStaffSecondFactor,
  type StaffContext,
  updateStaff,
} from '../administration.ts';
import type { OpenIdProvider } from '../openid.ts';
import { findMember, listMembers } from '../sql/administration.ts';
import { type SessionServices, sessionsOf } from './sessions.ts';

// Staff members, as admins list and change them.

interface StaffServices extends ChangeServices, SessionServices, FileServices {
  publicUrl(): string;
  masterKey: MasterKey;
  /** Undefined without single sign-on. */
  openId: OpenIdProvider | undefined;
}

function contextOf(call: StaffCall<StaffServices>): StaffContext {
  const { services, person } = call;
  return { ...changeContextOf(call), scope: signedIn(person).partners, times: services.sessionRules };
}

const byDefault = 100;
const cursors = cursorsOf({ staff_id: isA<string>(StaffId) });

export const staffAdminHandlers: Handlers<
  | 'StaffList'
  | 'StaffGet'
  | 'StaffInvite'
  | 'StaffUpdate'
  | 'StaffDisable'
  | 'StaffEnable'
  | 'StaffResetSecondFactor'
  | 'StaffSessions'
  | 'StaffEndSessions'
  | 'StaffReview',
  StaffServices
> = {
  async StaffList(call, { search = null, limit = byDefault, cursor }) {
    const { pool, scope, times } = contextOf(call);
    const after = cursors.read(cursor)?.staff_id ?? null;
    // Reads one row more than the page, to see whether there is a next page.
    const found = await listMembers(pool, times, scope, after, limit + 1, search);
    const rows = found.slice(0, limit);
    const next = found.length > limit ? (rows.at(-1) ?? null) : null;
    return done({ staff: rows.map(memberBody), next_cursor: cursors.write(next) });
  },

  async StaffGet(call, { staff_id }) {
    const { pool, scope, times } = contextOf(call);
    const found = await findMember(pool, times, scope, staff_id);
    return found === undefined ? refuse('staff_not_found') : done(memberBody(found));
  },

  async StaffInvite(call, { sso: isSso = false, ...body }) {
    const { publicUrl, masterKey } = call.services;
    if (isSso && call.services.openId === undefined) {
      return refuse('invalid_request', [{ field: 'sso', reason: 'needs a provider, and none is set up' }]);
    }
    return done(await inviteStaff({ ...contextOf(call), publicUrl: publicUrl(), masterKey }, { ...body, isSso }));
  },

  async StaffUpdate(call, { staff_id, as_read, ...settings }) {
    return done(await endingSessions(call, staff_id, (id) => updateStaff(contextOf(call), id, settings, as_read)));
  },

  async StaffDisable(call, { staff_id }) {
    return done(await endingSessions(call, staff_id, (id) => disableStaff(contextOf(call), id)));
  },

  async StaffEnable(call, { staff_id }) {
    return done(await enableStaff(contextOf(call), staff_id));
  },

  async StaffResetSecondFactor(call, { staff_id }) {
    return done(await endingSessions(call, staff_id, (id) => resetStaffSecondFactor(contextOf(call), id)));
  },

  async StaffSessions(call, { staff_id }) {
    const { pool, scope, times } = contextOf(call);
    if ((await findMember(pool, times, scope, staff_id)) === undefined) return refuse('staff_not_found');
    return done({ sessions: await sessionsOf(call, staff_id) });
  },

  async StaffEndSessions(call, { staff_id, session_id }) {
    const end = (id: string) => endStaffSessions(contextOf(call), id, session_id);
    return done({ ended: await endingSessions(call, staff_id, end) });
  },

  async StaffReview(call) {
    const context = contextOf(call);
    return fileInTurn(call, 'staff.csv', async () => {
      const members = await allStaff(context);
      await recordReview(context, members.length);
      return reviewLines(members);
    });
  },
};

async function endingSessions<T>(
  { services }: StaffCall<SessionServices>,
  staffId: string,
  work: (staffId: string) => Promise<T>,
): Promise<T> {
  const answer = await work(staffId);
  services.sessionsEnded.emit({ staffId });
  return answer;
}

async function* reviewLines(members: Member[]): AsyncGenerator<string> {
  yield csvMark + csvRow(reviewColumns);
  for (const { partners, ...member } of members) {
    const cells = { ...member, partners: partners?.join(' ') ?? 'all' };
    yield csvRow(reviewColumns.map((column) => String(cells[column] ?? '')));
  }
}

const reviewColumns = [
  'email',
  'name',
  'role',
  'partners',
  'status',
  'second_factor',
  'sso',
  'created_at',
  'last_seen_at',
  'invited_until',
  'sessions',
  'staff_id',
] as const satisfies (keyof Member)[];
