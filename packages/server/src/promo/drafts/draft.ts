import { isDeepStrictEqual } from 'node:util';
import type {
  DraftBody,
  DraftContents,
  DraftDifference,
  DraftHistoryEntry,
  DraftKind,
  DraftState,
} from '@freebets/contract';
import { formatCoefficient, formatInstant, timeText, type WorldInstant } from '../../primitives/amounts.ts';
import type { CampaignEntry } from '../batch/working-set.ts';
import { limitsOf, termsBody } from '../campaigns/campaign.ts';
import type { Exposure } from './approval.ts';

// States: open → submitted → approved or refused; a submitted draft expires with time. Only the author saves, submits
// and discards a draft; another person with the right decides. Saving a draft reopens it, unless it is approved or
// discarded.

export interface Draft {
  clientId: number;
  draftId: string;
  kind: DraftKind;
  /** The stored state. Expiry is not stored. */
  state: Exclude<DraftState, 'expired'>;
  author: string;
  /** The JSON, byte for byte. */
  content: string;
  revision: number;
  title: string | null;
  targetId: string | null;
  copyOf: string | null;
  exposure: Exposure | null;
  /** The payout type used for a new campaign's exposure. Null for limits and jobs, whose terms already exist. */
  stakeReturned: boolean | null;
  createdAt: WorldInstant;
  changedAt: WorldInstant;
  submittedAt: WorldInstant | null;
  /** The hash of the submitted content in hex. */
  submittedHash: string | null;
  submitReason: string | null;
  /** When the target campaign or job ends, as of the submission. The draft can't be approved after that. */
  targetEndsAt: WorldInstant | null;
  needsApproval: boolean | null;
  decidedBy: string | null;
  decidedAt: WorldInstant | null;
  decisionReason: string | null;
}

/** A submitted draft expires after this time. `isOverdue` in SQL and a constraint of the table use the same time. */
const approvalMs = 14 * 24 * 60 * 60 * 1000;

/** Null if the draft isn't waiting for a decision. */
const expiresAt = ({ state, submittedAt }: Draft): WorldInstant | null =>
  state !== 'submitted' || submittedAt === null ? null : submittedAt + approvalMs;

export function draftState(draft: Draft, now: WorldInstant): DraftState {
  const end = expiresAt(draft);
  return end !== null && now >= end ? 'expired' : draft.state;
}

/**
 * Approvals are refused after this time. If the target has ended, the draft stays submitted, so that its author can
 * change it.
 */
function approvableUntil(draft: Draft): WorldInstant | null {
  const end = expiresAt(draft);
  return end === null ? null : Math.min(end, draft.targetEndsAt ?? end);
}

/** A person as shown in drafts. */
export type Member = DraftBody['author'];
/** A change of the draft's state. */
export type HistoryEntry = DraftHistoryEntry;

export const draftBody = (draft: Draft, author: Member, decidedBy: Member | null, now: WorldInstant): DraftBody => ({
  client_id: draft.clientId,
  draft_id: draft.draftId,
  kind: draft.kind,
  state: draftState(draft, now),
  revision: draft.revision,
  title: draft.title,
  target_id: draft.targetId,
  copy_of: draft.copyOf,
  author,
  max_exposure: draft.exposure && [...draft.exposure],
  stake_returned: draft.stakeReturned,
  created_at: formatInstant(draft.createdAt),
  changed_at: formatInstant(draft.changedAt),
  submitted_at: timeText(draft.submittedAt),
  expires_at: timeText(approvableUntil(draft)),
  submit_reason: draft.submitReason,
  needs_approval: draft.needsApproval,
  decided_by: decidedBy,
  decided_at: timeText(draft.decidedAt),
  decision_reason: draft.decisionReason,
});

/** The fields of an open draft. */
export const openFields = {
  state: 'open',
  submittedAt: null,
  submittedHash: null,
  submitReason: null,
  targetEndsAt: null,
  needsApproval: null,
  decidedBy: null,
  decidedAt: null,
  decisionReason: null,
} as const satisfies Partial<Draft>;

/** New content reopens the draft and clears earlier decisions. */
export const reopened = (draft: Draft, now: WorldInstant): Draft => ({
  ...draft,
  ...openFields,
  revision: draft.revision + 1,
  changedAt: now,
});

/** The terms of a campaign, as the content of a draft that copies it. */
export function campaignContent({ campaign, state }: CampaignEntry): DraftContents['campaign'] {
  const { terms } = campaign;
  const { bonusLimit, bonusLimitPerUser } = limitsOf(campaign, state);
  const config = {
    ...(bonusLimit !== null && { bonus_limit: bonusLimit }),
    ...(bonusLimitPerUser !== null && { bonus_limit_per_user: bonusLimitPerUser }),
    ...(terms.minCoefficient !== null && { min_coefficient: formatCoefficient(terms.minCoefficient) }),
    ...(terms.maxCoefficient !== null && { max_coefficient: formatCoefficient(terms.maxCoefficient) }),
  };
  return {
    ...termsBody(campaign),
    ...(terms.durationMin !== null && { duration_min: terms.durationMin }),
    ...(Object.keys(config).length > 0 && { config }),
  };
}

/** The limits in force, as the content of a limits draft. */
export function limitsContent({ campaign, state }: CampaignEntry): DraftContents['limits'] {
  const { bonusLimit, bonusLimitPerUser } = limitsOf(campaign, state);
  return { campaign_id: campaign.campaignId, bonus_limit: bonusLimit, bonus_limit_per_user: bonusLimitPerUser };
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field that differs, with nested objects compared field by field. */
export function differencesOf(from: Fields, to: Fields, path = ''): DraftDifference[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name): DraftDifference[] => {
    const [before = null, after = null] = [from[name], to[name]];
    const field = path + name;
    if (isDeepStrictEqual(before, after)) return [];
    if ((isObject(before) || before === null) && (isObject(after) || after === null)) {
      return differencesOf(before ?? {}, after ?? {}, `${field}.`);
    }
    return [{ field, from: before, to: after }];
  });
}
