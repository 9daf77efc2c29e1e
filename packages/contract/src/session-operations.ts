import { closed } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import {
  Code,
  Email,
  InvitationToken,
  Invited,
  NewPassword,
  Password,
  Person,
  PersonName,
  RecoveryCodes,
  Session,
  SessionId,
} from './people.ts';
import { Type } from './type.ts';

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
