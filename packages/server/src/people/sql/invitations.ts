import assert from 'node:assert/strict';
import type { Role } from '@freebets/contract';
import { named, type Statement } from '../../engine/statement.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';

// Invitations. The holder of the token may once set the password of the account or bind it to single sign-on. Only the
// hash of the token is stored.

/** How long an invitation is valid. */
const validForHours = 72;

const insert = named<{ expires_at: WorldInstant }, WorldInstant>(
  'insert_invitation',
  `WITH replaced AS (DELETE FROM invitations WHERE staff_id = $2 AND used_at IS NULL)
   INSERT INTO invitations (token_hash, staff_id, created_at, expires_at, sso)
   VALUES ($1, $2, world_now(), world_now() + ${validForHours} * interval '1 hour', $3) RETURNING expires_at`,
  ([row]) => {
    assert(row, 'the inserted row is returned');
    return row.expires_at;
  },
);

/** Replaces the account's earlier invitations. Returns when the new one expires. */
export const insertInvitation = (tokenHash: Buffer, staffId: string, isSso = false): Statement<WorldInstant> =>
  insert([tokenHash, staffId, isSso]);

const remove = named('remove_invitations', 'DELETE FROM invitations WHERE staff_id = $1 AND used_at IS NULL');

export const removeInvitations = (staffId: string): Statement => remove([staffId]);

export interface Invitation {
  staff_id: string;
  email: string;
  name: string;
  role: Role;
  /** The invitation is for single sign-on and can't set a password. */
  sso: boolean;
}

const select = named<Invitation, Invitation | undefined>(
  'find_invitation',
  `SELECT p.staff_id, p.email, p.name, p.role, i.sso FROM invitations i JOIN staff p USING (staff_id)
   WHERE i.token_hash = $1 AND i.used_at IS NULL AND i.expires_at > world_now() AND p.disabled_at IS NULL`,
  ([row]) => row,
);

/** Undefined if the invitation is unknown, used or expired. */
export const findInvitation = (tokenHash: Buffer): Statement<Invitation | undefined> => select([tokenHash]);

const use = named<{ staff_id: string }, string | undefined>(
  'use_invitation',
  `UPDATE invitations SET used_at = world_now()
   WHERE token_hash = $1 AND used_at IS NULL AND expires_at > world_now() RETURNING staff_id`,
  ([row]) => row?.staff_id,
);

/** Returns the id of the account; undefined if the invitation is already used or expired. */
export const useInvitation = (tokenHash: Buffer): Statement<string | undefined> => use([tokenHash]);

// Keeps the last invitation of a person who has not accepted, even when expired: it stores how they are to sign in.
const removeOld = named(
  'remove_old_invitations',
  `DELETE FROM invitations i WHERE i.expires_at < world_now() AND (i.used_at IS NOT NULL OR NOT EXISTS (
     SELECT FROM staff p WHERE p.staff_id = i.staff_id AND p.password IS NULL AND p.oidc_subject IS NULL))`,
);

export const removeOldInvitations = (): Statement => removeOld();
