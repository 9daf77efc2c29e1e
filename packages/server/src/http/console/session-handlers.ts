import assert from 'node:assert/strict';
import { done } from '../../domain/outcome.ts';
import type { StaffHandlers } from './call.ts';

export const sessionHandlers: StaffHandlers<'SessionGet'> = {
  async SessionGet({ person }) {
    assert(person, 'somebody is signed in');
    const { sessionId: _, ...shown } = person;
    return done(shown);
  },
};
