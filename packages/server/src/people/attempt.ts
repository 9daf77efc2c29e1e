import type { PoolClient } from 'pg';
import type { Actor, Attribution, Changed } from '../audit/entry.ts';
import type { Connections } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import type { WorldInstant } from '../primitives/amounts.ts';
import { subjectOfAddress } from '../primitives/networks.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import { type MasterKey, openSecret } from '../primitives/sealing.ts';
import { countFailure, record, recordRefused, refuseUnchecked } from './failure-count.ts';
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

// Somebody claims to be somebody, and proves it with a password, a code or both. What fails is counted for the account and for the
// address, and recorded, in one transaction; what is right is done in that transaction. The password is checked before it, since that
// takes long, so everything else is decided again within it: of many attempts at the same time only as many count as if each
// had waited for the one before, on whatever servers they are. An account that does not exist takes the very same way.

export interface AttemptServices {
  pool: Connections;
  masterKey: MasterKey;
}

export interface Attempt {
  /** Whose account it is said to be. */
  email: string;
  /** Who is recorded with what fails. */
  by: Attribution;
  password?: string | undefined;
  /** What must be right beside the password. */
  check(proving: Proving): Promise<Checked>;
}

export type Checked = 'right' | 'wrong' | 'code_needed';

/** Within the transaction. */
export interface Proving {
  connection: PoolClient;
  masterKey: MasterKey;
  account: Account;
  now: WorldInstant;
}

/** What is done when all is right, and what is recorded of it. */
export interface Proven<T> {
  answer: T;
  actor: Actor;
  changed: Changed;
}

export async function attempt<T>(
  services: AttemptServices,
  given: Attempt,
  work: (proving: Proving) => Promise<Outcome<Proven<T>>>,
): Promise<Outcome<T>> {
  const { pool } = services;
  const { email, password } = given;
  if (await isRefusedUnchecked(services, given)) return refuse('sign_in_failed');
  for (let isLast = false; ; isLast = true) {
    const found = await ask(pool, findAccount(emailKey(email)));
    const checked = await checkPassword(found, password);
    const outcome = await inTransaction(pool, async (connection) => {
      const failed = await holdFailures(connection, subjectsOf(given));
      if (await refuseUnchecked(connection, failed)) return refuse('sign_in_failed');
      const outcome = await carryOut(services, connection, { ...given, found, checked, failed, isLast }, work);
      await recordRefused(connection, failed);
      return outcome;
    });
    if (outcome !== 'check_again') return outcome;
  }
}

type Claimed = Pick<Attempt, 'email' | 'by'>;

const subjectsOf = ({ email, by }: Claimed): string[] => [subjectOfAddress(by.address), subjectOfEmail(email)];

/** Whether there were too many failures for it to be checked. */
export const isRefusedUnchecked = async ({ pool }: AttemptServices, claimed: Claimed): Promise<boolean> =>
  refuseUnchecked(pool, await ask(pool, findFailures(subjectsOf(claimed))));

interface CheckedAttempt extends Attempt {
  found: Account | undefined;
  checked: Awaited<ReturnType<typeof checkPassword>>;
  failed: readonly Failed[];
  /** The password is not checked again, whatever was changed meanwhile. */
  isLast: boolean;
}

async function carryOut<T>(
  { masterKey }: AttemptServices,
  connection: PoolClient,
  { email, by, check, found, checked, failed, isLast }: CheckedAttempt,
  work: (proving: Proving) => Promise<Outcome<Proven<T>>>,
): Promise<Outcome<T> | 'check_again'> {
  const fail = async (why: string) => {
    await countFailure(connection, failed, { ...by, ...failure(email, why) });
    return refuse('sign_in_failed');
  };
  if (found === undefined) return fail('no_account');
  // It was right a moment ago where it is checked again.
  if (!checked.isRight) return fail(isLast ? 'changed' : 'password');
  const account = await ask(connection, lockAccount(found.staff_id));
  if (account === undefined) return fail('changed');
  // Another sign-in may have hashed the same one anew.
  if (account.password !== found.password) return isLast ? fail('changed') : 'check_again';
  const proving = { connection, masterKey, account, now: failed[0]?.now as WorldInstant };
  const result = await check(proving);
  if (result === 'wrong') return fail('code');
  if (result === 'code_needed') {
    // Nothing is wrong yet, so nothing is counted; whoever tries stolen passwords is seen by it.
    await record(connection, { ...by, ...failure(email, 'code_needed') });
    return refuse('code_needed');
  }
  if (checked.hashedAnew !== undefined) {
    await ask(connection, setPassword(account.staff_id, checked.hashedAnew));
  }
  const outcome = await work(proving);
  if (!outcome.ok) return outcome;
  const { answer, actor, changed } = outcome.value;
  await record(connection, { ...by, actor, ...changed });
  return done(answer);
}

async function checkPassword(
  account: Account | undefined,
  password: string | undefined,
): Promise<{ isRight: boolean; hashedAnew?: string }> {
  if (password === undefined) return { isRight: true };
  const stored = account?.password ?? null;
  if (!(await isPassword(stored, password)) || stored === null) return { isRight: false };
  return isHashedWeakly(stored) ? { isRight: true, hashedAnew: await hashPassword(password) } : { isRight: true };
}

const failure = (email: string, why: string): Changed => ({
  target: { kind: 'account', id: emailKey(email) },
  before: null,
  after: { failed: why },
});

/** A code of the second factor, or a recovery code; whichever it is, it is used up. */
export async function useCode({ connection, masterKey, account, now }: Proving, given: string): Promise<Checked> {
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
