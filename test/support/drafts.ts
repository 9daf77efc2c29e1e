import assert from 'node:assert/strict';
import type { StaffOperationName } from '@freebets/contract';
import { staffOperations } from '@freebets/contract';
import type pg from 'pg';
import { assertMatches } from './answers.ts';
import { campaign } from './requests.ts';
import { acceptedStaffCall, type Staff, type StaffAnswer, staffCall } from './staff.ts';

// Drafts as the console sends them. One free bet of these campaigns can win at most a euro, or a cent.

export const inEuro = (bonus_limit: number, changes: object = {}) => ({
  ...campaign({
    quantity: 1,
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
    config: { bonus_limit, max_coefficient: '2.00' },
  }),
  ...changes,
});

export const inCents = (bonus_limit: number, changes: object = {}) =>
  inEuro(bonus_limit, { bet_amounts: [{ currency: 'EUR', amount: '0.01' }], ...changes });

type DraftOperation = Extract<StaffOperationName, `Draft${string}`>;

const changing: readonly string[] = ['DraftSubmit', 'DraftApprove', 'DraftRefuse'];

/** Uses partner 1 if the body has no partner. Adds a reason if one is required. */
export const draftCall = (url: string, name: DraftOperation, body: object, who: Staff): Promise<StaffAnswer> => {
  const reason = changing.includes(name) ? { reason: `Because of ${name}` } : {};
  return staffCall(url, staffOperations[name].path, { client_id: 1, ...reason, ...body }, who);
};

/** The response of a call that must succeed, checked against the contract. */
export async function drafted(
  url: string,
  name: DraftOperation,
  body: object,
  who: Staff,
): Promise<StaffAnswer['body']> {
  const answer = await draftCall(url, name, body, who);
  assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
  assertMatches(staffOperations[name].response, answer.body);
  return answer.body;
}

export async function refusedDraft(...args: Parameters<typeof draftCall>): Promise<StaffAnswer['body']> {
  const { status, body } = await draftCall(...args);
  assert.notEqual(status, 200, JSON.stringify(body));
  return body;
}

export interface DraftName {
  client_id: number;
  draft_id: string;
  revision: number;
}

const nameOf = ({ client_id, draft_id, revision }: DraftName): DraftName => ({ client_id, draft_id, revision });

/** The saved draft, ready to be submitted or approved. */
export const saved = async (url: string, content: object, who: Staff, changes: object = {}): Promise<DraftName> =>
  nameOf(await drafted(url, 'DraftSave', { kind: 'campaign', content, ...changes }, who));

/** Saves and submits a draft. */
export async function submitted(url: string, content: object, who: Staff, changes: object = {}): Promise<DraftName> {
  const name = await saved(url, content, who, changes);
  await drafted(url, 'DraftSubmit', name, who);
  return name;
}

/** The error names in a list of responses of staff operations. */
export const errorsOf = (answers: StaffAnswer[]): string[] =>
  answers.map(({ status, body }) => (status === 200 ? 'done' : body.error)).toSorted();

export async function campaignExists(sql: pg.Pool, { client_id, draft_id }: DraftName): Promise<boolean> {
  const { rows } = await sql.query('SELECT FROM campaigns WHERE client_id = $1 AND campaign_id = $2', [
    client_id,
    draft_id,
  ]);
  return rows.length === 1;
}

export const campaignOf = (url: string, { client_id, draft_id }: DraftName, who: Staff) =>
  acceptedStaffCall(url, '/FreeBets/Campaign/Get', { client_id, campaign_id: draft_id }, who);
