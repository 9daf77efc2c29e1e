import type { PoolClient } from 'pg';
import type { Actor, Attribution, Changed } from '../audit/entry.ts';
import type { Connections } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import type { WorldInstant } from '../primitives/amounts.ts';
import { subjectOfAddress } from '../primitives/networks.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import { type MasterKey, openSecret } from '../primitives/sealing.ts';
import { countFailure, record, recordRefused, refuseIfBlocked } from './failure-count.ts';
import { subjectOfEmail } from './failures.ts';
import { hashPassword, isHashedWeakly, isPassword } from './passwords.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { isTotpForm, ownerOfTotp, stepOfCode } from './second-factor.ts';
import { type Failed, findFailures, holdFailures } from './sql/sign-in-failures.ts';
import {
  type Account,
  emailKey,
  findAccount,
  lockAccount,
  setPassword,
  useRecoveryCode,
  useTotpStep,
} from './sql/staff.ts';

// Checks a password, a code or both for a claimed account. One transaction counts a failure for the account and for the
// address, and records it; after a success the same transaction makes the change. The password is checked before the
// transaction, because hashing is slow, so the transaction repeats all other checks. Concurrent attempts, on any number
// of servers, therefore count as if they ran one after the other. Attempts on accounts that do not exist take the same
// path.

export interface AttemptServices {
  pool: Connections;
  masterKey: MasterKey;
}

export interface Attempt {
  /** The e-mail address of the claimed account. */
  email: string;
  /** The actor that a failure is recorded with. */
  by: Attribution;
  password?: string | undefined;
  /** A further check, besides the password. */
  check(context: AttemptContext): Promise<Checked>;
}

export type Checked = 'right' | 'wrong' | 'code_needed';

/** What a check inside the transaction may use. */
export interface AttemptContext {
  connection: PoolClient;
  masterKey: MasterKey;
  account: Account;
  now: WorldInstant;
}

/** The result of a successful attempt, and its audit record. */
export interface AttemptResult<T> {
  answer: T;
  actor: Actor;
  changed: Changed;
}

export async function attempt<T>(
  services: AttemptServices,
  given: Attempt,
  work: (context: AttemptContext) => Promise<Outcome<AttemptResult<T>>>,
): Promise<Outcome<T>> {
  const { pool } = services;
  const { email, password } = given;
  if (await isBlocked(services, given)) return refuse('sign_in_failed');
  for (let isLast = false; ; isLast = true) {
    const found = await ask(pool, findAccount(emailKey(email)));
    const checked = await checkPassword(found, password);
    const outcome = await inTransaction(pool, async (connection) => {
      const failed = await holdFailures(connection, subjectsOf(given));
      if (await refuseIfBlocked(connection, failed)) return refuse('sign_in_failed');
      const outcome = await runAttempt(services, connection, { ...given, found, checked, failed, isLast }, work);
      await recordRefused(connection, failed);
      return outcome;
    });
    if (outcome !== 'check_again') return outcome;
  }
}

type Claimed = Pick<Attempt, 'email' | 'by'>;

const subjectsOf = ({ email, by }: Claimed): string[] => [subjectOfAddress(by.address), subjectOfEmail(email)];

/** Whether earlier failures refuse this attempt without a check. */
export const isBlocked = async ({ pool }: AttemptServices, claimed: Claimed): Promise<boolean> =>
  refuseIfBlocked(pool, await ask(pool, findFailures(subjectsOf(claimed))));

interface CheckedAttempt extends Attempt {
  found: Account | undefined;
  checked: Awaited<ReturnType<typeof checkPassword>>;
  failed: readonly Failed[];
  /** On the last pass the password is not checked again, even if it has changed since. */
  isLast: boolean;
}

async function runAttempt<T>(
  { masterKey }: AttemptServices,
  connection: PoolClient,
  { email, by, check, found, checked, failed, isLast }: CheckedAttempt,
  work: (context: AttemptContext) => Promise<Outcome<AttemptResult<T>>>,
): Promise<Outcome<T> | 'check_again'> {
  const fail = async (why: string) => {
    await countFailure(connection, failed, { ...by, ...failure(email, why) });
    return refuse('sign_in_failed');
  };
  if (found === undefined) return fail('no_account');
  // On the second pass the password was right a moment ago, so it has changed since.
  if (!checked.isRight) return fail(isLast ? 'changed' : 'password');
  const account = await ask(connection, lockAccount(found.staff_id));
  if (account === undefined) return fail('changed');
  // Another sign-in may have rehashed the same password.
  if (account.password !== found.password) return isLast ? fail('changed') : 'check_again';
  const context = { connection, masterKey, account, now: failed[0]?.now as WorldInstant };
  const result = await check(context);
  if (result === 'wrong') return fail('code');
  if (result === 'code_needed') {
    // Nothing is wrong yet, so this is not counted as a failure. The record shows attempts with stolen passwords.
    await record(connection, { ...by, ...failure(email, 'code_needed') });
    return refuse('code_needed');
  }
  if (checked.rehashed !== undefined) {
    await ask(connection, setPassword(account.staff_id, checked.rehashed));
  }
  const outcome = await work(context);
  if (!outcome.ok) return outcome;
  const { answer, actor, changed } = outcome.value;
  await record(connection, { ...by, actor, ...changed });
  return done(answer);
}

async function checkPassword(
  account: Account | undefined,
  password: string | undefined,
): Promise<{ isRight: boolean; rehashed?: string }> {
  if (password === undefined) return { isRight: true };
  const stored = account?.password ?? null;
  if (!(await isPassword(stored, password)) || stored === null) return { isRight: false };
  return isHashedWeakly(stored) ? { isRight: true, rehashed: await hashPassword(password) } : { isRight: true };
}

const failure = (email: string, why: string): Changed => ({
  target: { kind: 'account', id: emailKey(email) },
  before: null,
  after: { failed: why },
});

/** Checks a TOTP code or a recovery code, and uses it up. */
export async function useCode(
  { connection, masterKey, account, now }: AttemptContext,
  given: string,
): Promise<Checked> {
  const { staff_id, totp_secret } = account;
  if (totp_secret === null) return 'wrong';
  const code = given.replace(/[ -]/g, '');
  if (!isTotpForm(code)) {
    return (await ask(connection, useRecoveryCode(staff_id, hashRecoveryCode(code)))) ? 'right' : 'wrong';
  }
  const secret = openSecret(masterKey, ownerOfTotp(staff_id), totp_secret);
  const step = secret === undefined ? undefined : stepOfCode(secret, code, now);
  return step !== undefined && (await ask(connection, useTotpStep(staff_id, step))) ? 'right' : 'wrong';
}
