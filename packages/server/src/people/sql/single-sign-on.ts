import { named, type Statement } from '../../engine/statement.ts';

// Sign-ins in progress at the provider. Anyone can begin one, so the count per address is limited, and the oldest is
// removed first.

const validFor = `interval '10 minutes'`;
const maxPerAddress = 100;

export interface SsoAttempt {
  nonce: string;
  verifier: string;
  return_to: string;
  invitation_hash: Buffer | null;
}

export interface NewSsoAttempt extends SsoAttempt {
  stateHash: Buffer;
  browserHash: Buffer;
  address: string;
}

const insert = named(
  'insert_sso_attempt',
  `INSERT INTO sso_attempts (state_hash, browser_hash, nonce, verifier, return_to, invitation_hash, address)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const removeOld = named(
  'remove_old_sso_attempts',
  `DELETE FROM sso_attempts WHERE created_at < world_now() - ${validFor}`,
);
const removeBeyond = named(
  'remove_sso_attempts_beyond',
  `DELETE FROM sso_attempts WHERE state_hash IN
     (SELECT state_hash FROM sso_attempts WHERE address = $1 ORDER BY created_at DESC, state_hash OFFSET ${maxPerAddress - 1})`,
);

export const insertSsoAttempt = (attempt: NewSsoAttempt): Statement[] => [
  removeOld(),
  removeBeyond([attempt.address]),
  insert([
    attempt.stateHash,
    attempt.browserHash,
    attempt.nonce,
    attempt.verifier,
    attempt.return_to,
    attempt.invitation_hash,
    attempt.address,
  ]),
];

const take = named<SsoAttempt, SsoAttempt | undefined>(
  'take_sso_attempt',
  `DELETE FROM sso_attempts
   WHERE state_hash = $1 AND browser_hash = $2 AND created_at >= world_now() - ${validFor}
   RETURNING nonce, verifier, return_to, invitation_hash`,
  ([row]) => row,
);

/** Each can be used once, by the browser that began it. */
export const takeSsoAttempt = (stateHash: Buffer, browserHash: Buffer): Statement<SsoAttempt | undefined> =>
  take([stateHash, browserHash]);

const selectOfSubject = named<{ staff_id: string }, string | undefined>(
  'find_account_of_subject',
  'SELECT staff_id FROM staff WHERE oidc_issuer = $1 AND oidc_subject = $2',
  ([row]) => row?.staff_id,
);

/** Finds the account of a subject, even if the account is disabled. */
export const findStaffOfSubject = (issuer: string, subject: string): Statement<string | undefined> =>
  selectOfSubject([issuer, subject]);

const bind = named(
  'bind_subject',
  'UPDATE staff SET oidc_issuer = $2, oidc_subject = $3, password = NULL WHERE staff_id = $1',
);

/** From now on the person signs in with single sign-on, not with a password. */
export const bindSubject = (staffId: string, issuer: string, subject: string): Statement =>
  bind([staffId, issuer, subject]);

const unbind = named(
  'unbind_single_sign_on',
  'UPDATE staff SET oidc_issuer = NULL, oidc_subject = NULL WHERE staff_id = $1',
);

export const unbindSingleSignOn = (staffId: string): Statement => unbind([staffId]);
