import { Type } from 'typebox';
import { ClientId, closed, text, Uuid } from './formats.ts';
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
