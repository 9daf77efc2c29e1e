import { Type } from 'typebox';
import { asRead, closed, Limit, LongCursor, nullable, Timestamp, text } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { Email, PersonName, Scope, Session, SessionId, StaffId } from './people.ts';
import { roles } from './roles.ts';

// People as those who administer them see them.

const statuses = ['invited', 'active', 'locked', 'disabled'] as const;

export const Member = closed({
  staff_id: StaffId,
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  partners: Scope,
  status: Type.Enum(statuses, {
    description: 'Locked: after too many wrong passwords or codes, for a while. Invited: cannot sign in yet.',
  }),
  second_factor: Type.Boolean({ description: 'Whether one is set up here.' }),
  sso: Type.Boolean({ description: 'Whether this person signs in by single sign-on, or is invited to.' }),
  sessions: Type.Integer({ minimum: 0, description: 'Where this person is signed in.' }),
  created_at: Timestamp,
  last_seen_at: nullable(Timestamp),
  invited_until: Type.Union([Timestamp, Type.Null()], {
    description: 'Until when a link can be used that was made for this person.',
  }),
});
export type Member = Type.Static<typeof Member>;

const MemberListRequest = closed({
  search: Type.Optional(text(128, 'Part of the name or of the e-mail address, in any case')),
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(LongCursor),
});
const MemberListResponse = closed({ staff: Type.Array(Member), next_cursor: nullable(LongCursor) });

const rights = { role: Type.Optional(Type.Enum(roles)), partners: Type.Optional(Scope) };

const InviteRequest = closed(
  {
    email: Email,
    name: Type.Optional(PersonName),
    ...rights,
    sso: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The link is for single sign-on; a password cannot be set with it.',
      }),
    ),
  },
  {
    description:
      'For somebody new, name, role and partners are needed; of who has not accepted yet, those that are absent stay as they are.',
  },
);

export const Invitation = closed({
  staff_id: StaffId,
  email: Email,
  link: Type.String({ description: 'Good one time. It is shown only here: hand it to the person.' }),
  expires_at: Timestamp,
});
export type Invitation = Type.Static<typeof Invitation>;

const MemberRequest = closed({ staff_id: StaffId });

const MemberUpdateRequest = closed({
  staff_id: StaffId,
  name: Type.Optional(PersonName),
  ...rights,
  as_read: asRead(rights),
});

const MemberSessionsResponse = closed({ sessions: Type.Array(Session) });

const EndSessionsRequest = closed({
  staff_id: StaffId,
  session_id: Type.Optional(Type.String({ ...SessionId, description: 'Only this one; all of them when absent.' })),
});
const EndSessionsResponse = closed({ ended: Type.Integer({ minimum: 0 }) });

const tag = 'Staff';

export const staffAdminOperations = {
  StaffList: {
    tag,
    summary: 'People of the staff, by their e-mail addresses',
    request: MemberListRequest,
    response: MemberListResponse,
    errors: [],
  },
  StaffGet: {
    tag,
    summary: 'Somebody of the staff',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found'],
  },
  StaffInvite: {
    tag,
    summary: 'Invite somebody, or again who has not accepted yet',
    request: InviteRequest,
    response: Invitation,
    errors: ['already_exists', 'partner_not_found', 'confirmation_needed'],
  },
  StaffUpdate: {
    tag,
    summary: 'Change name, role or scope; another role or scope ends the sessions',
    request: MemberUpdateRequest,
    response: Member,
    errors: [
      'staff_not_found',
      'partner_not_found',
      'own_account',
      'last_admin',
      'changed_meanwhile',
      'confirmation_needed',
    ],
  },
  StaffDisable: {
    tag,
    summary: 'Shut somebody out: sessions and invitations end',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'last_admin'],
  },
  StaffEnable: {
    tag,
    summary: 'Let somebody sign in again',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'confirmation_needed'],
  },
  StaffResetSecondFactor: {
    tag,
    summary: 'Remove the second factor and the recovery codes of somebody, and end the sessions',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'confirmation_needed'],
  },
  StaffSessions: {
    tag,
    summary: 'Where somebody is signed in',
    request: MemberRequest,
    response: MemberSessionsResponse,
    errors: ['staff_not_found'],
  },
  StaffEndSessions: {
    tag,
    summary: 'End one session of somebody, or all',
    request: EndSessionsRequest,
    response: EndSessionsResponse,
    errors: ['staff_not_found', 'session_not_found'],
  },
  StaffReview: {
    tag,
    summary: 'Who may do what, as a file for a review of access',
    request: closed({}),
    response: { file: 'text/csv; charset=utf-8' },
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
