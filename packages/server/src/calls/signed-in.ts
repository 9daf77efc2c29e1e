import assert from 'node:assert/strict';
import type { Person } from '@freebets/contract';

export interface SignedIn extends Person {
  sessionId: string;
}

export function signedIn(person: SignedIn | undefined): SignedIn {
  assert(person, 'the caller is signed in');
  return person;
}
