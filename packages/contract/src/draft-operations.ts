import {
  CheckedDraft,
  Draft,
  DraftCopyRequest,
  DraftDecisionRequest,
  DraftDiscardRequest,
  DraftGetRequest,
  DraftGetResponse,
  DraftListRequest,
  DraftListResponse,
  DraftSaveRequest,
  DraftsWaitingRequest,
  DraftsWaitingResponse,
  maxDraftBytes,
} from './drafts.ts';
import type { ErrorName } from './errors.ts';
import type { StaffOperationRows } from './operation-types.ts';

const notThere: ErrorName[] = ['partner_not_found', 'draft_not_found'];
/** Of the operations that a draft becomes. */
const carryingOut: ErrorName[] = [
  'campaign_not_found',
  'currency_not_allowed',
  'game_not_available',
  'game_without_free_bets',
  'id_reused',
  'invalid_validity',
  'job_incomplete',
  'job_not_found',
  'job_started',
];

export const draftOperations = {
  DraftList: {
    tag: 'Drafts',
    summary: 'Drafts of the partners in scope, newest first',
    request: DraftListRequest,
    response: DraftListResponse,
    errors: ['partner_not_found'],
  },
  DraftGet: {
    tag: 'Drafts',
    summary: 'A draft with its content, what stands in its way, what it changes, and what has happened to it',
    request: DraftGetRequest,
    response: DraftGetResponse,
    errors: notThere,
  },
  DraftSave: {
    tag: 'Drafts',
    summary: 'Begin a draft, or replace its content; one that was submitted is open again',
    request: DraftSaveRequest,
    response: CheckedDraft,
    errors: [...notThere, 'draft_changed', 'draft_not_open', 'not_author'],
    maxBody: 2 * maxDraftBytes,
  },
  DraftCopy: {
    tag: 'Drafts',
    summary: 'Begin a draft with the terms of a campaign',
    request: DraftCopyRequest,
    response: CheckedDraft,
    errors: [...notThere, 'campaign_not_found', 'draft_changed', 'draft_not_open', 'not_author'],
  },
  DraftDiscard: {
    tag: 'Drafts',
    summary: 'Give up a draft of your own',
    request: DraftDiscardRequest,
    response: Draft,
    errors: [...notThere, 'draft_not_open', 'not_author'],
  },
  DraftSubmit: {
    tag: 'Drafts',
    summary: 'Carry a draft out if it is within the limits, else ask for its approval',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'draft_changed', 'draft_not_open', 'limits_pending', 'not_author', ...carryingOut],
  },
  DraftApprove: {
    tag: 'Drafts',
    summary: 'Approve what somebody else has submitted, and carry it out',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'own_draft', 'author_not_allowed', 'draft_changed', 'draft_not_open', ...carryingOut],
  },
  DraftRefuse: {
    tag: 'Drafts',
    summary: 'Refuse what somebody else has submitted',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'own_draft', 'draft_changed', 'draft_not_open'],
  },
  DraftsWaiting: {
    tag: 'Drafts',
    summary: 'How many drafts wait for a decision, and how many of them for yours',
    request: DraftsWaitingRequest,
    response: DraftsWaitingResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
