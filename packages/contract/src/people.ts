import { Type } from 'typebox';
import { asRead, ClientId, closed, Limit, LongCursor, nullable, Timestamp, text, Uuid } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { roles } from './roles.ts';

// Staff accounts.

export const StaffId = Uuid('The id of a staff member.');

export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\p{C}]{1,64}@[^\\s@\\p{C}]+$',
  'x-form': 'an e-mail address',
  description: 'An e-mail address, in upper or lower case.',
});

export const PersonName = text(128, 'The name of a person.');

/** The partners that a staff member can see. */
export const Scope = Type.Union([Type.Array(ClientId, { maxItems: 1000, uniqueItems: true }), Type.Null()], {
  description: 'The ids of the partners; null for all partners, including future ones.',
});

export const Person = closed({
  staff_id: StaffId,
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  partners: Scope,
  must_set_up_second_factor: Type.Boolean({
    description: 'Whether you must set up a second factor before you can use anything but your account.',
  }),
});
export type Person = Type.Static<typeof Person>;

const passwordForm = {
  maxLength: 256,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-form': 'without control characters',
};
const Password = Type.String({ ...passwordForm, minLength: 1, description: 'The password.' });
const NewPassword = Type.String({
  ...passwordForm,
  minLength: 12,
  description:
    'The new password: 12 to 256 characters of any kind, but no common password, no sequence, and not your ' + 'name.',
});

/** A code of an authenticator app, or a recovery code. */
const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Za-z -]*$',
  'x-form': 'a code of six digits, or a recovery code',
  description: 'The code of the authenticator app, or a recovery code.',
});

const InvitationToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  'x-form': 'the last part of the link in the invitation',
  description: 'The token in the link of the invitation.',
});

const Invited = closed({
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  sso: Type.Boolean({ description: 'Whether the invitation is accepted by single sign-on instead of a password.' }),
});

const SessionId = Uuid('A session.');

const Session = closed({
  session_id: SessionId,
  since: Timestamp,
  last_seen: Timestamp,
  address: nullable(Type.String({ description: 'The network address that the session was started from.' })),
  browser: nullable(Type.String({ description: 'The `User-Agent` of the browser.' })),
  current: Type.Boolean({ description: 'Whether this is your current session.' }),
});

const RecoveryCodes = closed({
  recovery_codes: Type.Array(Type.String(), { description: 'Each code works once. The codes are not shown again.' }),
});

// Signing in, and changes to one's own account and sessions.

const Ended = closed({ ended: Type.Integer({ description: 'The number of sessions that were ended.' }) });

export const sessionOperations = {
  SignIn: {
    tag: 'Session',
    summary: 'Sign in',
    request: closed({ email: Email, password: Password, code: Type.Optional(Code) }),
    response: Person,
    errors: ['sign_in_failed', 'code_needed'],
  },
  SessionGet: {
    tag: 'Session',
    summary: 'Read who is signed in',
    request: closed({}),
    response: Person,
    errors: [],
  },
  SessionList: {
    tag: 'Session',
    summary: 'List your sessions',
    request: closed({}),
    response: closed({ sessions: Type.Array(Session) }),
    errors: [],
  },
  SessionEnd: {
    tag: 'Session',
    summary: 'End one of your sessions, or all others',
    request: closed({
      session_id: Type.Optional(SessionId),
      all_others: Type.Optional(
        Type.Boolean({ description: 'In place of `session_id`: end all sessions but the current one.' }),
      ),
    }),
    response: Ended,
    errors: ['session_not_found'],
  },
  SignOut: {
    tag: 'Session',
    summary: 'Sign out',
    request: closed({}),
    response: closed({}),
    errors: [],
  },
  PasswordChange: {
    tag: 'Session',
    summary: 'Change your password, which ends all other sessions',
    request: closed({ password: Password, new_password: NewPassword }),
    response: Ended,
    errors: ['sign_in_failed'],
  },
  SecondFactorBegin: {
    tag: 'Session',
    summary: 'Start to set up a second factor; if you have one, prove it',
    request: closed({ password: Type.Optional(Password), code: Type.Optional(Code) }),
    response: closed({
      secret: Type.String({ description: 'The secret in base32, to type into an authenticator app.' }),
      uri: Type.String({ description: 'The secret as an address, to show as a QR code.' }),
    }),
    errors: ['sign_in_failed', 'code_needed'],
  },
  SecondFactorConfirm: {
    tag: 'Session',
    summary: 'Confirm the second factor with its code, which ends all other sessions',
    request: closed({ code: Code }),
    response: RecoveryCodes,
    errors: ['sign_in_failed'],
  },
  RecoveryCodes: {
    tag: 'Session',
    summary: 'Replace the recovery codes',
    request: closed({ code: Code }),
    response: RecoveryCodes,
    errors: ['sign_in_failed'],
  },
  InvitationGet: {
    tag: 'Session',
    summary: 'Read an invitation',
    request: closed({ token: InvitationToken }),
    response: Invited,
    errors: ['invitation_not_valid'],
  },
  InvitationAccept: {
    tag: 'Session',
    summary: 'Set the password of the account, and sign in',
    request: closed({ token: InvitationToken, name: Type.Optional(PersonName), password: NewPassword }),
    response: Person,
    errors: ['invitation_not_valid', 'code_needed'],
  },
  SsoBegin: {
    tag: 'Session',
    summary: 'Start a single sign-on',
    request: closed({
      return_to: Type.Optional(
        Type.String({ maxLength: 1001, description: 'The page of the console to open afterwards.' }),
      ),
      invitation: Type.Optional(InvitationToken),
    }),
    response: closed({ location: Type.String({ description: 'The address to send the browser to.' }) }),
    errors: ['sso_unavailable', 'invitation_not_valid'],
  },
} as const satisfies Partial<StaffOperationRows>;

// Administration of staff accounts.

const statuses = ['invited', 'active', 'locked', 'disabled'] as const;

export const Member = closed({
  staff_id: StaffId,
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  partners: Scope,
  status: Type.Enum(statuses, {
    description:
      '`locked` for a while after too many wrong passwords or codes; `invited` until the invitation is ' + 'accepted.',
  }),
  second_factor: Type.Boolean({ description: 'Whether a second factor is set up.' }),
  sso: Type.Boolean({ description: 'Whether this person signs in by single sign-on, or was invited to.' }),
  sessions: Type.Integer({ minimum: 0, description: 'The sessions of this person.' }),
  created_at: Timestamp,
  last_seen_at: nullable(Timestamp),
  invited_until: Type.Union([Timestamp, Type.Null()], {
    description: 'The time until which the latest link of this person can be used.',
  }),
});
export type Member = Type.Static<typeof Member>;

const MemberListRequest = closed({
  search: Type.Optional(text(128, 'Part of the name or the e-mail address, in upper or lower case')),
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
      'A new person needs name, role and partners. For a person who has not accepted yet, absent fields stay unchanged.',
  },
);

export const Invitation = closed({
  staff_id: StaffId,
  email: Email,
  link: Type.String({ description: 'The link, which works once. It is shown only here: hand it to the person.' }),
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
  session_id: Type.Optional(Type.String({ ...SessionId, description: 'Only this session; all sessions if absent.' })),
});
const EndSessionsResponse = closed({ ended: Type.Integer({ minimum: 0 }) });

export const staffAdminOperations = {
  StaffList: {
    tag: 'Staff',
    summary: 'List the staff, ordered by e-mail address',
    request: MemberListRequest,
    response: MemberListResponse,
    errors: [],
  },
  StaffGet: {
    tag: 'Staff',
    summary: 'Read a staff member',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found'],
  },
  StaffInvite: {
    tag: 'Staff',
    summary: 'Invite a person, or renew an invitation that is not accepted yet',
    request: InviteRequest,
    response: Invitation,
    errors: ['already_exists', 'partner_not_found', 'confirmation_needed'],
  },
  StaffUpdate: {
    tag: 'Staff',
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
    tag: 'Staff',
    summary: 'Disable a staff member and end their sessions and invitations',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'last_admin'],
  },
  StaffEnable: {
    tag: 'Staff',
    summary: 'Enable a staff member',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'confirmation_needed'],
  },
  StaffResetSecondFactor: {
    tag: 'Staff',
    summary: 'Remove the second factor and recovery codes of a staff member and end their sessions',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'confirmation_needed'],
  },
  StaffSessions: {
    tag: 'Staff',
    summary: 'List the sessions of a staff member',
    request: MemberRequest,
    response: MemberSessionsResponse,
    errors: ['staff_not_found'],
  },
  StaffEndSessions: {
    tag: 'Staff',
    summary: 'End one session of a staff member, or all',
    request: EndSessionsRequest,
    response: EndSessionsResponse,
    errors: ['staff_not_found', 'session_not_found'],
  },
  StaffReview: {
    tag: 'Staff',
    summary: 'Export the access review: who may do what',
    request: closed({}),
    response: { file: 'text/csv; charset=utf-8' },
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
