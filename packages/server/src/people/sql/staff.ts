import type { Role } from '@freebets/contract';
import { named, type Statement } from '../../engine/statement.ts';

// What sign-in reads and writes of staff accounts.

/** E-mail addresses are compared without regard to case. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();

export interface Account {
  staff_id: string;
  email: string;
  name: string;
  role: Role;
  /** Null before the invitation is accepted. */
  password: string | null;
  totp_secret: Buffer | null;
  totp_next: Buffer | null;
  /** Another account has the address, and the admin who sent the invitation can't see it. */
  is_duplicate: boolean;
}

const columns =
  "staff_id, email, name, role, password, totp_secret, totp_next, strpos(email_key, ' ') > 0 AS is_duplicate";

const select = named<Account, Account | undefined>(
  'find_account',
  `SELECT ${columns} FROM staff WHERE email_key = $1 AND disabled_at IS NULL`,
  ([row]) => row,
);

/** Ignores disabled accounts. */
export const findAccount = (key: string): Statement<Account | undefined> => select([key]);

const lock = named<Account, Account | undefined>(
  'lock_account',
  `SELECT ${columns} FROM staff WHERE staff_id = $1 AND disabled_at IS NULL FOR UPDATE`,
  ([row]) => row,
);

/** The same, and locks the row until the transaction ends. */
export const lockAccount = (staffId: string): Statement<Account | undefined> => lock([staffId]);

const updatePassword = named('set_password', 'UPDATE staff SET password = $2 WHERE staff_id = $1');

export const setPassword = (staffId: string, hashed: string): Statement => updatePassword([staffId, hashed]);

const updateName = named('set_staff_name', 'UPDATE staff SET name = $2 WHERE staff_id = $1');

export const setStaffName = (staffId: string, name: string): Statement => updateName([staffId, name]);

const updateStep = named<{ staff_id: string }, boolean>(
  'use_totp_step',
  `UPDATE staff SET totp_last_step = $2
   WHERE staff_id = $1 AND (totp_last_step IS NULL OR totp_last_step < $2) RETURNING staff_id`,
  (rows) => rows.length === 1,
);

/** Whether neither this step nor a later one has been used. */
export const useTotpStep = (staffId: string, step: number): Statement<boolean> => updateStep([staffId, step]);

const beginSetUp = named('begin_second_factor', 'UPDATE staff SET totp_next = $2 WHERE staff_id = $1');

export const beginSecondFactor = (staffId: string, sealed: Buffer): Statement => beginSetUp([staffId, sealed]);

const confirmSetUp = named(
  'confirm_second_factor',
  `UPDATE staff SET totp_secret = totp_next, totp_next = NULL, totp_since = world_now(), totp_last_step = $2
   WHERE staff_id = $1`,
);

export const confirmSecondFactor = (staffId: string, step: number): Statement => confirmSetUp([staffId, step]);

const removeCodes = named('remove_recovery_codes', 'DELETE FROM recovery_codes WHERE staff_id = $1');
const insertCodes = named(
  'insert_recovery_codes',
  `INSERT INTO recovery_codes (staff_id, code_hash) SELECT $1, decode(hash, 'hex') FROM unnest($2::text[]) AS c(hash)`,
);

export const replaceRecoveryCodes = (staffId: string, hashes: readonly Buffer[]): Statement[] => [
  removeCodes([staffId]),
  insertCodes([staffId, hashes.map((hash) => hash.toString('hex'))]),
];

const useCode = named<{ staff_id: string }, boolean>(
  'use_recovery_code',
  `UPDATE recovery_codes SET used_at = world_now() WHERE staff_id = $1 AND code_hash = $2 AND used_at IS NULL
   RETURNING staff_id`,
  (rows) => rows.length === 1,
);

/** Whether the code exists and was unused. */
export const useRecoveryCode = (staffId: string, hash: Buffer): Statement<boolean> => useCode([staffId, hash]);
