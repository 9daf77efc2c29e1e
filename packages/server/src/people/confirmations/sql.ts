import assert from 'node:assert/strict';
import type { Confirmation, ConfirmedOperation } from '@freebets/contract';
import { named, type Statement } from '../../engine/statement.ts';
import { formatInstant, timeText, type WorldInstant } from '../../primitives/amounts.ts';
import type { Power } from './rules.ts';

// Requests for confirmation. A decision or withdrawal first locks the requester's row in staff, and then the row of the
// request.

interface ConfirmationRow {
  confirmation_id: string;
  operation: ConfirmedOperation;
  content: string;
  target_kind: Power['target']['kind'];
  target_id: string;
  partners: number[] | null;
  state: Confirmation['state'];
  requested_by: string;
  requester_email: string;
  requester_name: string;
  requested_at: WorldInstant;
  expires_at: WorldInstant;
  reason: string;
  decided_by: string | null;
  decider_email: string | null;
  decider_name: string | null;
  decided_at: WorldInstant | null;
  decision_reason: string | null;
}

function bodyOfRow(row: ConfirmationRow): Confirmation {
  const { request, before } = JSON.parse(row.content) as Pick<Confirmation, 'request' | 'before'>;
  const { decided_by, decider_email, decider_name } = row;
  const isDecided = decided_by !== null && decider_email !== null && decider_name !== null;
  return {
    confirmation_id: row.confirmation_id,
    operation: row.operation,
    request,
    before,
    target: { kind: row.target_kind, id: row.target_id },
    partners: row.partners,
    state: row.state,
    requested_by: { staff_id: row.requested_by, email: row.requester_email, name: row.requester_name },
    requested_at: formatInstant(row.requested_at),
    expires_at: formatInstant(row.expires_at),
    reason: row.reason,
    decided_by: isDecided ? { staff_id: decided_by, email: decider_email, name: decider_name } : null,
    decided_at: timeText(row.decided_at),
    decision_reason: row.decision_reason,
  };
}

const isOpen = `c.state IN ('pending', 'confirmed')`;
const isInTime = `c.requested_at > world_now() - interval '72 hours'`;

const columns = `c.confirmation_id, c.operation, c.content, c.target_kind, c.target_id, c.partners,
  CASE WHEN ${isOpen} AND NOT ${isInTime} THEN 'expired' ELSE c.state END AS state,
  c.requested_by, a.email AS requester_email, a.name AS requester_name, c.requested_at,
  c.requested_at + interval '72 hours' AS expires_at, c.reason,
  c.decided_by, b.email AS decider_email, b.name AS decider_name, c.decided_at, c.decision_reason`;

const withPeople =
  'confirmations c JOIN staff a ON a.staff_id = c.requested_by LEFT JOIN staff b ON b.staff_id = c.decided_by';

const selectOne = named<ConfirmationRow, Confirmation | undefined>(
  'get_confirmation',
  `SELECT ${columns} FROM ${withPeople} WHERE c.confirmation_id = $1`,
  ([row]) => row && bodyOfRow(row),
);

export const getConfirmation = (confirmationId: string): Statement<Confirmation | undefined> =>
  selectOne([confirmationId]);

const lock = named('lock_confirmation', 'SELECT FROM confirmations WHERE confirmation_id = $1 FOR UPDATE');

export const lockConfirmation = (confirmationId: string): Statement => lock([confirmationId]);

/** For a person whose id is $1 and whose scope is $2; null is all partners. */
const isVisible = '(c.requested_by = $1 OR $2::int[] IS NULL OR c.partners <@ $2)';

export interface Viewer {
  staffId: string | null;
  scope: readonly number[] | null;
}

export interface ConfirmationFilter {
  isOpen: boolean;
  target: { kind: string; id?: string | undefined } | undefined;
  limit: number;
}

const selectPage = named(
  'list_confirmations',
  `SELECT ${columns} FROM ${withPeople} WHERE ${isVisible} AND (NOT $3 OR ${isOpen} AND ${isInTime})
     AND ($4::text IS NULL OR c.target_kind = $4) AND ($5::text IS NULL OR c.target_id = $5)
   ORDER BY c.requested_at DESC, c.confirmation_id DESC LIMIT $6`,
  (rows: ConfirmationRow[]) => rows.map(bodyOfRow),
);

export const listConfirmations = (viewer: Viewer, filter: ConfirmationFilter): Statement<Confirmation[]> => {
  const { target, limit } = filter;
  return selectPage([viewer.staffId, viewer.scope, filter.isOpen, target?.kind, target?.id, limit]);
};

const countWaiting = named(
  'count_waiting_confirmations',
  `SELECT count(*)::int AS count FROM confirmations c WHERE ${isInTime} AND ${isVisible}
     AND CASE WHEN c.requested_by = $1 THEN c.state = 'confirmed' ELSE c.state = 'pending' END`,
  ([row]: { count: number }[]) => {
    assert(row, 'an aggregate has one row');
    return row.count;
  },
);

/** Requests of others that are pending, and the person's own that are confirmed. */
export const countWaitingConfirmations = (viewer: Viewer): Statement<number> =>
  countWaiting([viewer.staffId, viewer.scope]);

const lockOfRequester = named(
  'lock_open_confirmations',
  `SELECT FROM confirmations c WHERE c.requested_by = $1 AND c.operation = $2 AND ${isOpen}
   ORDER BY c.confirmation_id FOR UPDATE`,
);
const selectOfRequester = named(
  'open_confirmations_of',
  `SELECT ${columns} FROM ${withPeople} WHERE c.requested_by = $1 AND c.operation = $2 AND ${isOpen} AND ${isInTime}
   ORDER BY c.requested_at, c.confirmation_id`,
  (rows: ConfirmationRow[]) => rows.map(bodyOfRow),
);

/** Send these two in this order, so that the second reads under the locks of the first. */
export const lockOpenConfirmations = (requester: string, operation: string): Statement =>
  lockOfRequester([requester, operation]);
export const openConfirmationsOf = (requester: string, operation: string): Statement<Confirmation[]> =>
  selectOfRequester([requester, operation]);

export interface NewConfirmation extends Power {
  confirmationId: string;
  operation: string;
  request: object;
  requestedBy: string;
  reason: string;
}

const insert = named(
  'insert_confirmation',
  `INSERT INTO confirmations
     (confirmation_id, operation, content, target_kind, target_id, partners, state, requested_by, requested_at, reason)
   VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, world_now(), $8)`,
);

export const insertConfirmation = (given: NewConfirmation): Statement => {
  const { confirmationId, operation, request, before, target, partners, requestedBy, reason } = given;
  const content = JSON.stringify({ request, before });
  return insert([confirmationId, operation, content, target.kind, target.id, partners, requestedBy, reason]);
};

const decide = named(
  'decide_confirmation',
  `UPDATE confirmations SET state = $2, decided_by = $3, decided_at = world_now(), decision_reason = $4,
     decided_hash = sha256(convert_to(content, 'UTF8'))
   WHERE confirmation_id = $1`,
);

/** `decidedBy` is null for the command line. */
export const decideConfirmation = (
  confirmationId: string,
  state: 'confirmed' | 'refused',
  decidedBy: string | null,
  reason: string | null,
): Statement => decide([confirmationId, state, decidedBy, reason]);

const withdraw = named(
  'withdraw_confirmation',
  `UPDATE confirmations SET state = 'withdrawn' WHERE confirmation_id = $1`,
);
export const withdrawConfirmation = (confirmationId: string): Statement => withdraw([confirmationId]);

const use = named(
  'use_confirmation',
  `UPDATE confirmations SET state = 'done', done_at = world_now() WHERE confirmation_id = $1`,
);
export const useConfirmation = (confirmationId: string): Statement => use([confirmationId]);

const selectMayConfirm = named<{ may: boolean }, boolean>(
  'may_confirm',
  `SELECT s.disabled_at IS NULL AND s.role = 'admin' AND (s.all_partners OR coalesce($2::int[] <@ ARRAY(
     SELECT p.client_id FROM staff_partners p WHERE p.staff_id = s.staff_id), false)) AS may
   FROM staff s WHERE s.staff_id = $1`,
  ([row]) => row?.may ?? false,
);

/** Whether this person is now an admin of all these partners. */
export const mayConfirm = (staffId: string, partners: readonly number[] | null): Statement<boolean> =>
  selectMayConfirm([staffId, partners]);

const selectCountAsOne = named<{ same: boolean }, boolean>(
  'count_as_one_person',
  `WITH RECURSIVE chain (start, id) AS (
     SELECT staff_id, staff_id FROM staff WHERE staff_id IN ($1, $2)
     UNION SELECT c.start, s.vouched_by FROM chain c JOIN staff s ON s.staff_id = c.id WHERE s.vouched_by IS NOT NULL)
   SELECT EXISTS (SELECT FROM chain one JOIN chain other ON other.id = one.id
     WHERE one.start = $1 AND other.start = $2) AS same`,
  ([row]) => row?.same ?? true,
);

/**
 * Whether one of the two alone has invited or promoted the other, or a third person has invited or promoted both,
 * directly or through other people.
 */
export const countAsOnePerson = (one: string, other: string): Statement<boolean> => selectCountAsOne([one, other]);

const updateVouched = named('set_vouched_by', 'UPDATE staff SET vouched_by = $2 WHERE staff_id = $1');

/** `by` is null if a second admin has confirmed the person, or the command line did it. */
export const setVouchedBy = (staffId: string, by: string | null): Statement => updateVouched([staffId, by]);

const addVouched = named(
  'add_vouched_by',
  'UPDATE staff SET vouched_by = coalesce(vouched_by, $2) WHERE staff_id = $1',
);

/** Keeps an earlier admin, who may still have access to the account. */
export const addVouchedBy = (staffId: string, by: string): Statement => addVouched([staffId, by]);

const removeOld = named(
  'remove_old_confirmations',
  `DELETE FROM confirmations WHERE requested_at < world_now() - interval '30 days'`,
);

/** The audit log keeps the history of removed requests. */
export const removeOldConfirmations = (): Statement => removeOld();
