import { ClientId, closed, nullable, Timestamp, text, Uuid } from './formats.ts';
import { roles } from './roles.ts';
import { Type } from './type.ts';

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
export const Password = Type.String({ ...passwordForm, minLength: 1, description: 'The password.' });
export const NewPassword = Type.String({
  ...passwordForm,
  minLength: 12,
  description:
    'The password from here on: 12 to 256 characters of any kind, but none that many people have, no sequence, and not the own name.',
});

/** Of an authenticator app, or one of the recovery codes. */
export const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Za-z -]*$',
  'x-form': 'a code of six digits, or a recovery code',
  description: 'The code that the authenticator app shows, or a recovery code.',
});

export const InvitationToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  'x-form': 'the end of the link in the invitation',
  description: 'Of the link in the invitation.',
});

export const Invited = closed({
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

export const RecoveryCodes = closed({
  recovery_codes: Type.Array(Type.String(), { description: 'Each good one time; not shown again.' }),
});
