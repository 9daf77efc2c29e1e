import { Type } from 'typebox';
import { ClientId, closed, nullable, Timestamp, text, Uuid } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { roles } from './roles.ts';

// People: who signs in to the console.

export const StaffId = Uuid('A member of staff.');

export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\p{C}]{1,64}@[^\\s@\\p{C}]+$',
  'x-form': 'an e-mail address',
  description: 'An e-mail address; its case does not matter.',
});

export const PersonName = text(128, 'Name of a person.');

/** The partners that somebody sees: null for all. */
export const Scope = Type.Union([Type.Array(ClientId, { maxItems: 1000, uniqueItems: true }), Type.Null()], {
  description: 'The partners, or null for all of them, also those to come.',
});

export const Person = closed({
  staff_id: StaffId,
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  partners: Scope,
  must_set_up_second_factor: Type.Boolean({ description: 'Until then, nothing but the own account can be used.' }),
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
    'The password from here on: 12 to 256 characters of any kind, but none that many people have, no sequence, and not the own name.',
});

/** Of an authenticator app, or one of the recovery codes. */
const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Za-z -]*$',
  'x-form': 'a code of six digits, or a recovery code',
  description: 'The code that the authenticator app shows, or a recovery code.',
});

const InvitationToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  'x-form': 'the end of the link in the invitation',
  description: 'Of the link in the invitation.',
});

const Invited = closed({
  email: Email,
  name: PersonName,
  role: Type.Enum(roles),
  sso: Type.Boolean({ description: 'It is accepted by single sign-on, and not with a password.' }),
});

export const SessionId = Uuid('A session.');

export const Session = closed({
  session_id: SessionId,
  since: Timestamp,
  last_seen: Timestamp,
  address: nullable(Type.String({ description: 'From where it was begun.' })),
  browser: nullable(Type.String({ description: 'What the browser said of itself.' })),
  current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
});

const RecoveryCodes = closed({
  recovery_codes: Type.Array(Type.String(), { description: 'Each good one time; not shown again.' }),
});

// Signing in, and what people do to their own account and sessions.

const Ended = closed({ ended: Type.Integer({ description: 'How many sessions were ended.' }) });

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
    summary: 'Who is signed in',
    request: closed({}),
    response: Person,
    errors: [],
  },
  SessionList: {
    tag: 'Session',
    summary: 'The own sessions',
    request: closed({}),
    response: closed({ sessions: Type.Array(Session) }),
    errors: [],
  },
  SessionEnd: {
    tag: 'Session',
    summary: 'End one of the own sessions, or all others',
    request: closed({
      session_id: Type.Optional(SessionId),
      all_others: Type.Optional(Type.Boolean({ description: 'Instead of one: all but the one that asks.' })),
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
    summary: 'Change the own password, which ends all other sessions',
    request: closed({ password: Password, new_password: NewPassword }),
    response: Ended,
    errors: ['sign_in_failed'],
  },
  SecondFactorBegin: {
    tag: 'Session',
    summary: 'Begin to set up a second factor; who has one proves it',
    request: closed({ password: Type.Optional(Password), code: Type.Optional(Code) }),
    response: closed({
      secret: Type.String({ description: 'In base32, to be typed into an authenticator app.' }),
      uri: Type.String({ description: 'The same as an address, to be shown as a picture to an authenticator app.' }),
    }),
    errors: ['sign_in_failed', 'code_needed'],
  },
  SecondFactorConfirm: {
    tag: 'Session',
    summary: 'Confirm the second factor with a code of it, which ends all other sessions',
    request: closed({ code: Code }),
    response: RecoveryCodes,
    errors: ['sign_in_failed'],
  },
  RecoveryCodes: {
    tag: 'Session',
    summary: 'New recovery codes instead of those before',
    request: closed({ code: Code }),
    response: RecoveryCodes,
    errors: ['sign_in_failed'],
  },
  InvitationGet: {
    tag: 'Session',
    summary: 'Who is invited',
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
    summary: 'Begin to sign in at the provider of single sign-on',
    request: closed({
      return_to: Type.Optional(Type.String({ maxLength: 1001, description: 'The page of ours to go to afterwards.' })),
      invitation: Type.Optional(InvitationToken),
    }),
    response: closed({ location: Type.String({ description: 'Where the browser goes.' }) }),
    errors: ['sso_unavailable', 'invitation_not_valid'],
  },
} as const satisfies Partial<StaffOperationRows>;
