import { Type } from 'typebox';
import { CampaignCreateRequest, CampaignLimitsRequest, MostPerCurrency } from './campaigns.ts';
import type { ErrorName } from './errors.ts';
import {
  CampaignId,
  ClientId,
  Currency,
  Cursor,
  closed,
  ItemError,
  Limit,
  MoneySum,
  nullable,
  Timestamp,
  text,
  Uuid,
} from './formats.ts';
import { JobStartRequest } from './jobs.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { Email, PersonName, StaffId } from './people.ts';

// Drafts: a staff member prepares a change, and another one approves it if it can cost more than the limits allow.

export const DraftId = Uuid(
  'The id of the draft: a UUID of any version, in upper or lower case; returned in lower case.',
);

const draftKinds = ['campaign', 'limits', 'job'] as const;
const DraftKind = Type.Enum(draftKinds, {
  description: 'A new campaign, new limits for a campaign, or the start of a job.',
});
export type DraftKind = (typeof draftKinds)[number];

const draftStates = ['open', 'submitted', 'approved', 'refused', 'expired', 'discarded'] as const;
const DraftState = Type.Enum(draftStates, {
  description:
    '`submitted` until another person decides; `expired` after 14 days without a decision. If the author ' +
    'saves it again, it is `open` again, unless it is `approved` or `discarded`.',
});
export type DraftState = (typeof draftStates)[number];

const { client_id: _ofCampaign, dry_run: _, ...campaignFields } = CampaignCreateRequest.properties;
const { client_id: _ofLimits, ...limitsFields } = CampaignLimitsRequest.properties;
const { client_id: _ofJob, ...jobFields } = JobStartRequest.properties;

/** The required content of a submitted draft: the request of its operation, without the partner. */
export const draftContents = {
  campaign: closed(campaignFields),
  limits: closed(limitsFields),
  job: closed(jobFields),
};
export type DraftContents = { [K in DraftKind]: Type.Static<(typeof draftContents)[K]> };

/** Large enough for every campaign. */
export const maxDraftBytes = 256 * 1024;

const Content = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description:
    'The request, without `client_id`, of `/FreeBets/Campaign/Create` for a campaign, of ' +
    '`/FreeBets/Campaign/Limits` for limits, and of `/FreeBets/Jobs/Start` for a job. It may be incomplete ' +
    'until the draft is submitted.',
});

const Revision = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The version of the content. Every change of the content increases it.',
});

const StaffMember = closed({ staff_id: StaffId, email: Email, name: PersonName });
const named = { client_id: ClientId, draft_id: DraftId };

export const Draft = closed({
  ...named,
  kind: DraftKind,
  state: DraftState,
  revision: Revision,
  title: nullable(Type.String({ description: 'The name of the campaign or job.' })),
  target_id: nullable(Type.String({ description: 'The id of the campaign or job that the draft creates or changes.' })),
  copy_of: nullable(Type.String({ description: 'The id of the campaign that the draft was copied from.' })),
  author: StaffMember,
  max_exposure: nullable(
    MostPerCurrency(
      'The increase of the maximum liability, as of the submission. Before the submission it is as of now, or ' +
        'in lists as of the latest change. Null while the content is not valid.',
    ),
  ),
  stake_returned: nullable(
    Type.Boolean({
      description:
        'Whether wins of the campaign would return the stake too, as of the same time as `max_exposure`. Null ' +
        'for other kinds of drafts, and while the content is not valid.',
    }),
  ),
  created_at: Timestamp,
  changed_at: Timestamp,
  submitted_at: nullable(Timestamp),
  expires_at: nullable(
    Type.String({
      ...Timestamp,
      description:
        'When the draft can no longer be approved: 14 days after its submission, or when its campaign or list ends, if that is ' +
        'earlier. Null if the draft is not submitted, or is decided.',
    }),
  ),
  submit_reason: nullable(Type.String()),
  needs_approval: nullable(
    Type.Boolean({
      description:
        'Whether the draft needs approval. Decided at the submission. Before that, `Drafts/Get` shows the ' +
        'decision as of now.',
    }),
  ),
  decided_by: nullable(StaffMember),
  decided_at: nullable(Timestamp),
  decision_reason: nullable(Type.String()),
});
export type Draft = Type.Static<typeof Draft>;

const approvalReasons = ['no_bound', 'no_limit', 'above_limit'] as const;

const ApprovalReason = closed({
  reason: Type.Enum(approvalReasons, {
    description:
      'The liability has no maximum; the service has no limit for the currency; or the limit would be ' +
      'exceeded, together with the allowance that the author used without approval in the last 24 hours.',
  }),
  currency: Currency,
  amount: nullable(MoneySum),
  limit: nullable(MoneySum),
  used: nullable(
    Type.String({
      ...MoneySum,
      description:
        'The allowance that the author used without approval in the last 24 hours, for all partners; null if you ' +
        "can't see all partners.",
    }),
  ),
});
export type ApprovalReason = Type.Static<typeof ApprovalReason>;

const checked = {
  problems: Type.Array(ItemError, { description: "The reasons why the draft can't be carried out now." }),
  approval_reasons: Type.Array(ApprovalReason, {
    description: 'The reasons why another person must approve the draft.',
  }),
};

const CheckedDraft = closed({ ...Draft.properties, ...checked });

const Difference = closed({
  field: Type.String(),
  from: Type.Unknown({ description: 'The current value; null if there is none.' }),
  to: Type.Unknown({ description: 'The value in the draft; null if there is none.' }),
});
export type Difference = Type.Static<typeof Difference>;

const HistoryEntry = closed({
  at: Timestamp,
  action: Type.String({ description: 'The name of the operation.' }),
  state: DraftState,
  email: Type.String({ description: 'The e-mail address of the actor.' }),
  reason: nullable(Type.String()),
});
export type DraftHistoryEntry = Type.Static<typeof HistoryEntry>;

const DraftGetResponse = closed({
  ...CheckedDraft.properties,
  content: Content,
  differences: nullable(
    Type.Array(Difference, {
      description:
        'The differences from the limits in force, or from the campaign that was copied; null if there is ' +
        'nothing to compare with.',
    }),
  ),
  history: Type.Array(HistoryEntry, { description: 'The latest 100 changes of state, oldest first.' }),
});

const DraftGetRequest = closed(named);
const DraftDiscardRequest = closed(named);

const DraftSaveRequest = closed({
  client_id: ClientId,
  draft_id: Type.Optional(DraftId),
  revision: Type.Optional(
    Type.Integer({ ...Revision, description: 'The version to replace; absent for a new draft.' }),
  ),
  kind: DraftKind,
  content: Content,
});

const DraftCopyRequest = closed({
  client_id: ClientId,
  campaign_id: CampaignId,
  draft_id: Type.Optional(DraftId),
});

const DraftDecisionRequest = closed({ ...named, revision: Revision });

const DraftListRequest = closed({
  client_id: Type.Optional(ClientId),
  kind: Type.Optional(DraftKind),
  target_id: Type.Optional(Type.String({ ...CampaignId, description: 'Only drafts of this campaign or job.' })),
  state: Type.Optional(DraftState),
  author: Type.Optional(Type.Literal('me', { description: 'Only your own drafts.' })),
  waiting_for_me: Type.Optional(Type.Boolean({ description: 'Only drafts that you can approve now.' })),
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

const DraftListResponse = closed({
  drafts: Type.Array(Draft, { description: 'Newest first.' }),
  next_cursor: nullable(Cursor),
});

/** The title of a draft is taken from its content only if it matches this schema. */
export const DraftTitle = text(255, 'A display name');

const DraftsWaitingRequest = closed({ client_id: Type.Optional(ClientId) });
export const DraftsWaitingResponse = closed({
  waiting: Type.Integer({ minimum: 0, description: 'The number of drafts that wait for a decision.' }),
  for_me: Type.Integer({ minimum: 0, description: 'The number of waiting drafts that you can approve.' }),
});

const notThere: ErrorName[] = ['partner_not_found', 'draft_not_found'];
/** Errors of the operations that drafts run. */
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
    summary: 'List the drafts of the partners in scope, newest first',
    request: DraftListRequest,
    response: DraftListResponse,
    errors: ['partner_not_found'],
  },
  DraftGet: {
    tag: 'Drafts',
    summary: 'Read a draft with its content, obstacles, differences and history',
    request: DraftGetRequest,
    response: DraftGetResponse,
    errors: notThere,
  },
  DraftSave: {
    tag: 'Drafts',
    summary: 'Create a draft or replace its content; a submitted draft is open again',
    request: DraftSaveRequest,
    response: CheckedDraft,
    errors: [...notThere, 'draft_changed', 'draft_not_open', 'not_author'],
    maxBody: 2 * maxDraftBytes,
  },
  DraftCopy: {
    tag: 'Drafts',
    summary: 'Create a draft from the terms of a campaign',
    request: DraftCopyRequest,
    response: CheckedDraft,
    errors: [...notThere, 'campaign_not_found', 'draft_changed', 'draft_not_open', 'not_author'],
  },
  DraftDiscard: {
    tag: 'Drafts',
    summary: 'Discard your own draft',
    request: DraftDiscardRequest,
    response: Draft,
    errors: [...notThere, 'draft_not_open', 'not_author'],
  },
  DraftSubmit: {
    tag: 'Drafts',
    summary: 'Submit a draft: it is carried out if it is within the limits, otherwise it waits for approval',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'draft_changed', 'draft_not_open', 'limits_pending', 'not_author', ...carryingOut],
  },
  DraftApprove: {
    tag: 'Drafts',
    summary: 'Approve a draft of another person and carry it out',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'own_draft', 'author_not_allowed', 'draft_changed', 'draft_not_open', ...carryingOut],
  },
  DraftRefuse: {
    tag: 'Drafts',
    summary: 'Reject a draft of another person',
    request: DraftDecisionRequest,
    response: Draft,
    errors: [...notThere, 'own_draft', 'draft_changed', 'draft_not_open'],
  },
  DraftsWaiting: {
    tag: 'Drafts',
    summary: 'Count the drafts that wait for a decision',
    request: DraftsWaitingRequest,
    response: DraftsWaitingResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
