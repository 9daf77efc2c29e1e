import assert from 'node:assert/strict';
import type { Actor } from '../../../audit/entry.ts';
import type { PartnerSelection } from '../../../calls/partner-selection.ts';
import { bytesText, type Columns, forPartner, insertInto, updateOf } from '../../../engine/rows.ts';
import { named, type Statement, withCustomPlan } from '../../../engine/statement.ts';
import { formatInstant, timeText, type WorldInstant } from '../../../primitives/amounts.ts';
import type { StoredItem } from '../../jobs/job.ts';
import type { Exposure } from '../approval.ts';
import type { Draft, draftState, HistoryEntry, Member } from '../draft.ts';

// Lock order: first the draft's row, then the author's row in `staff`, which guards the author's unapproved exposure.

/** A draft with the people it names and the time of the read. */
export interface FoundDraft {
  draft: Draft;
  author: Member;
  decidedBy: Member | null;
  now: WorldInstant;
}

interface DraftRow {
  client_id: number;
  draft_id: string;
  kind: Draft['kind'];
  state: Draft['state'];
  author: string;
  content: string;
  revision: number;
  title: string | null;
  target_id: string | null;
  copy_of: string | null;
  exposure: Exposure | null;
  stake_returned: boolean | null;
  created_at: WorldInstant;
  changed_at: WorldInstant;
  submitted_at: WorldInstant | null;
  submitted_hash: string | null;
  submit_reason: string | null;
  target_ends_at: WorldInstant | null;
  needs_approval: boolean | null;
  decided_by: string | null;
  decided_at: WorldInstant | null;
  decision_reason: string | null;
  author_email: string;
  author_name: string;
  decider_email: string | null;
  decider_name: string | null;
  now: WorldInstant;
}

function foundOfRow(row: DraftRow): FoundDraft {
  const { decided_by, decider_email, decider_name } = row;
  const isDecided = decided_by !== null && decider_email !== null && decider_name !== null;
  return {
    draft: {
      clientId: row.client_id,
      draftId: row.draft_id,
      kind: row.kind,
      state: row.state,
      author: row.author,
      content: row.content,
      revision: row.revision,
      title: row.title,
      targetId: row.target_id,
      copyOf: row.copy_of,
      exposure: row.exposure,
      stakeReturned: row.stake_returned,
      createdAt: row.created_at,
      changedAt: row.changed_at,
      submittedAt: row.submitted_at,
      submittedHash: row.submitted_hash,
      submitReason: row.submit_reason,
      targetEndsAt: row.target_ends_at,
      needsApproval: row.needs_approval,
      decidedBy: row.decided_by,
      decidedAt: row.decided_at,
      decisionReason: row.decision_reason,
    },
    author: { staff_id: row.author, email: row.author_email, name: row.author_name },
    decidedBy: isDecided ? { staff_id: decided_by, email: decider_email, name: decider_name } : null,
    now: row.now,
  };
}

const selected = (
  content: string,
) => `d.client_id, d.draft_id, d.kind, d.state, d.author, ${content} AS content, d.revision, d.title,
  d.target_id, d.copy_of, d.exposure, d.stake_returned, d.created_at, d.changed_at, d.submitted_at, encode(d.submitted_hash, 'hex') AS submitted_hash,
  d.submit_reason, d.target_ends_at, d.needs_approval, d.decided_by, d.decided_at, d.decision_reason,
  a.email AS author_email, a.name AS author_name, b.email AS decider_email, b.name AS decider_name, world_now() AS now`;

const draftsWithPeople =
  'drafts d JOIN staff a ON a.staff_id = d.author LEFT JOIN staff b ON b.staff_id = d.decided_by';

const selectOne = named(
  'get_draft',
  `SELECT ${selected('d.content')} FROM ${draftsWithPeople} WHERE d.client_id = $1 AND d.draft_id = $2`,
  ([row]: DraftRow[]) => row && foundOfRow(row),
);

export const getDraft = (clientId: number, draftId: string): Statement<FoundDraft | undefined> =>
  selectOne([clientId, draftId]);

const lock = named('lock_draft', 'SELECT FROM drafts WHERE client_id = $1 AND draft_id = $2 FOR UPDATE');

/** Send this before the read, so that the row and the time are read under the lock. */
export const lockDraft = (clientId: number, draftId: string): Statement => lock([clientId, draftId]);

const keyColumn = { type: 'uuid', of: (draft: Draft) => draft.draftId };

const changing: Columns<Draft> = {
  state: { type: 'text', of: (draft) => draft.state },
  content: { type: 'text', of: (draft) => draft.content },
  revision: { type: 'int', of: (draft) => draft.revision },
  title: { type: 'text', of: (draft) => draft.title },
  target_id: { type: 'text', of: (draft) => draft.targetId },
  exposure: { type: 'json', of: (draft) => draft.exposure && JSON.stringify(draft.exposure) },
  stake_returned: { type: 'boolean', of: (draft) => draft.stakeReturned },
  changed_at: { type: 'timestamptz', of: (draft) => formatInstant(draft.changedAt) },
  submitted_at: { type: 'timestamptz', of: (draft) => timeText(draft.submittedAt) },
  submitted_hash: { type: 'bytea', of: ({ submittedHash }) => submittedHash && bytesText(submittedHash) },
  submit_reason: { type: 'text', of: (draft) => draft.submitReason },
  target_ends_at: { type: 'timestamptz', of: (draft) => timeText(draft.targetEndsAt) },
  needs_approval: { type: 'boolean', of: (draft) => draft.needsApproval },
  decided_by: { type: 'uuid', of: (draft) => draft.decidedBy },
  decided_at: { type: 'timestamptz', of: (draft) => timeText(draft.decidedAt) },
  decision_reason: { type: 'text', of: (draft) => draft.decisionReason },
};

const insert = insertInto<Draft>('drafts', {
  draft_id: keyColumn,
  kind: { type: 'text', of: (draft) => draft.kind },
  author: { type: 'uuid', of: (draft) => draft.author },
  copy_of: { type: 'text', of: (draft) => draft.copyOf },
  created_at: { type: 'timestamptz', of: (draft) => formatInstant(draft.createdAt) },
  ...changing,
});

export const insertDraft = (draft: Draft): Statement => insert(forPartner(draft.clientId, [draft]));

const update = updateOf<Draft>('drafts', { draft_id: keyColumn }, changing);

export const updateDraft = (draft: Draft): Statement => update(forPartner(draft.clientId, [draft]));

/** A draft stored as submitted has expired. */
const isOverdue = (draft: string) => `${draft}.submitted_at <= world_now() - interval '14 days'`;

/** The start of the job in this row may still be approved. */
export const isWaitingForApproval = (job: string): string =>
  `EXISTS (SELECT FROM drafts d WHERE d.client_id = ${job}.client_id AND d.kind = 'job' AND d.state = 'submitted'
     AND d.target_id = ${job}.job_id::text AND NOT ${isOverdue('d')})`;

const selectPendingLimits = named(
  'pending_limits_draft',
  `SELECT d.draft_id FROM drafts d WHERE d.client_id = $1 AND d.target_id = $2 AND d.kind = 'limits' AND d.state = 'submitted'
     AND d.draft_id <> $3 AND NOT ${isOverdue('d')} LIMIT 1`,
  ([row]: { draft_id: string }[]) => row?.draft_id,
);

/** Another submitted draft for the limits of the same campaign. Exact only under the partner's event head. */
export const findPendingLimits = ({ clientId, targetId, draftId }: Draft): Statement<string | undefined> =>
  selectPendingLimits([clientId, targetId, draftId]);

export interface DraftKey {
  at: WorldInstant;
  draftId: string;
  clientId: number;
}

export interface DraftFilter {
  /** Null for all partners. */
  partners: readonly number[] | null;
  state: ReturnType<typeof draftState> | null;
  kind: Draft['kind'] | null;
  targetId: string | null;
  author: string | null;
  /** Only submitted drafts by other authors than this person. */
  notBy: string | null;
  after: DraftKey | null;
  limit: number;
}

const selectPage = named(
  'list_drafts',
  `SELECT ${selected("''")} FROM ${draftsWithPeople}
   WHERE ($1::int[] IS NULL OR d.client_id = ANY ($1))
     AND ($2::text IS NULL OR $2 = CASE WHEN d.state = 'submitted' AND ${isOverdue('d')} THEN 'expired' ELSE d.state END)
     AND ($3::uuid IS NULL OR d.author = $3)
     AND ($4::uuid IS NULL OR (d.author <> $4 AND d.state = 'submitted' AND NOT ${isOverdue('d')}))
     AND ($9::text IS NULL OR d.kind = $9) AND ($10::text IS NULL OR d.target_id = $10)
     AND ($5::timestamptz IS NULL OR (d.created_at, d.draft_id, d.client_id) < ($5, $6::uuid, $7::int))
   ORDER BY d.created_at DESC, d.draft_id DESC, d.client_id DESC LIMIT $8`,
  (rows: DraftRow[]) => rows.map(foundOfRow),
);

/** Newest first, without content. */
export const listDrafts = (filter: DraftFilter): Statement<FoundDraft[]> => {
  const { partners, state, author, notBy, after, limit, kind, targetId } = filter;
  const behind = [after && formatInstant(after.at), after?.draftId ?? null, after?.clientId ?? null];
  return withCustomPlan(selectPage([partners, state, author, notBy, ...behind, limit, kind, targetId]));
};

export interface WaitingDrafts {
  waiting: number;
  by_others: number;
}

const countWaiting = named(
  'count_waiting_drafts',
  `SELECT count(*) AS waiting, count(*) FILTER (WHERE d.author <> $2) AS by_others FROM drafts d
   WHERE ($1::int[] IS NULL OR d.client_id = ANY ($1)) AND d.state = 'submitted' AND NOT ${isOverdue('d')}
     AND ($3::boolean IS NULL OR $3 = (SELECT p.sandbox FROM partners p WHERE p.client_id = d.client_id))`,
  ([row]: WaitingDrafts[]) => {
    assert(row, 'an aggregate has one row');
    return row;
  },
);

/** Counts the drafts that wait for a decision, and those of them by other authors. */
export const countWaitingDrafts = ({ partners, among }: PartnerSelection, author: string): Statement<WaitingDrafts> =>
  withCustomPlan(countWaiting([partners, author, among === 'all' ? null : among === 'sandboxes']));

const selectHistory = named(
  'draft_history',
  `SELECT at, record ->> 'action' AS action, record #>> '{after,state}' AS state, record #>> '{actor,email}' AS email,
     record ->> 'reason' AS reason
   FROM (SELECT at, sequence, record::jsonb AS record FROM audit WHERE client_id = $1 AND target = 'draft ' || $2) a
   WHERE record #>> '{before,state}' IS DISTINCT FROM record #>> '{after,state}'
   ORDER BY at DESC, sequence DESC LIMIT 100`,
  (rows: (Omit<HistoryEntry, 'at'> & { at: WorldInstant })[]) =>
    rows.map((row): HistoryEntry => ({ ...row, at: formatInstant(row.at) })).reverse(),
);

/** The last 100 state changes, oldest first. */
export const readDraftHistory = (clientId: number, draftId: string): Statement<HistoryEntry[]> =>
  selectHistory([clientId, draftId]);

export interface RightsRow {
  role: Extract<Actor, { kind: 'staff' }>['role'];
  is_disabled: boolean;
  is_in_scope: boolean;
}

const selectRights = named(
  'rights_of',
  `SELECT s.role, s.disabled_at IS NOT NULL AS is_disabled, s.all_partners OR EXISTS (
     SELECT FROM staff_partners p WHERE p.staff_id = s.staff_id AND p.client_id = $2) AS is_in_scope
   FROM staff s WHERE s.staff_id = $1`,
  ([row]: RightsRow[]) => row,
);

/** The current rights of a person for a partner. */
export const readRights = (staffId: string, clientId: number): Statement<RightsRow | undefined> =>
  selectRights([staffId, clientId]);

const lockStaff = named('lock_author', 'SELECT FROM staff WHERE staff_id = $1 FOR NO KEY UPDATE');

/**
 * Guards the author's unapproved exposure. Read the author's rights in a later statement: a statement that waits for a
 * lock sees other rows as they were before the wait.
 */
export const lockAuthor = (staffId: string): Statement => lockStaff([staffId]);

const selectNextPart = named(
  'job_part_after',
  `SELECT part, list FROM job_parts WHERE client_id = $1 AND job_id = $2 AND part > $3 ORDER BY part LIMIT 1`,
  ([row]: { part: number; list: StoredItem[] }[]) => row,
);

/** The next part after `part`; 0 for the first. */
export const findPartAfter = (
  clientId: number,
  jobId: string,
  part: number,
): Statement<{ part: number; list: StoredItem[] } | undefined> => selectNextPart([clientId, jobId, part]);
