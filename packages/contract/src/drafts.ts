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

export const DraftId = Uuid('The draft: a UUID of any version, in any case; answered in lower case.');

const draftKinds = ['campaign', 'limits', 'job'] as const;
const DraftKind = Type.Enum(draftKinds, {
  description: 'A new campaign; other limits for a campaign; the start of a job.',
});
export type DraftKind = (typeof draftKinds)[number];

const draftStates = ['open', 'submitted', 'approved', 'refused', 'expired', 'discarded'] as const;
const DraftState = Type.Enum(draftStates, {
  description:
    '`submitted` until somebody else decides; `expired` when nobody has within 14 days. An author who saves it again opens it ' +
    'again, unless it is `approved` or `discarded`.',
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
    'Of a campaign what `/FreeBets/Campaign/Create` takes, of limits what `/FreeBets/Campaign/Limits` takes, of a job what ' +
    '`/FreeBets/Jobs/Start` takes, without `client_id`. Until it is submitted it may be incomplete.',
});

const Revision = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Which content is meant; every change of it makes the next one.',
});

const StaffMember = closed({ staff_id: StaffId, email: Email, name: PersonName });
const named = { client_id: ClientId, draft_id: DraftId };

export const Draft = closed({
  ...named,
  kind: DraftKind,
  state: DraftState,
  revision: Revision,
  title: nullable(Type.String({ description: 'The name of the campaign or job.' })),
  target_id: nullable(Type.String({ description: 'The id of the campaign or job that comes of it, or is changed.' })),
  copy_of: nullable(Type.String({ description: 'The id of the campaign whose terms it began with.' })),
  author: StaffMember,
  max_exposure: nullable(
    MostPerCurrency(
      'The most that it could win more than before, as it was submitted with; before that as of now, in lists as of the ' +
        'latest change. Null while the content is not valid.',
    ),
  ),
  stake_returned: nullable(
    Type.Boolean({
      description:
        'Whether wins of the campaign would pay the stake as well, as of the same time as `max_exposure`. Null for other ' +
        'kinds of drafts, and while the content is not valid.',
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
      description: 'Decided when it was submitted; before, as it would be now, where it is asked for alone.',
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
      'Nothing bounds what it could win; the service has no limit for the currency; it would be above the limit together ' +
      'with what its author had without approval in the last 24 hours.',
  }),
  currency: Currency,
  amount: nullable(MoneySum),
  limit: nullable(MoneySum),
  used: nullable(
    Type.String({
      ...MoneySum,
      description:
        'What the author had without approval in the last 24 hours, for all partners; null for who does not see them all.',
    }),
  ),
});
export type ApprovalReason = Type.Static<typeof ApprovalReason>;

const checked = {
  problems: Type.Array(ItemError, { description: 'Why it could not be carried out at this moment.' }),
  approval_reasons: Type.Array(ApprovalReason, { description: 'Why somebody else must approve it.' }),
};

const CheckedDraft = closed({ ...Draft.properties, ...checked });

const Difference = closed({
  field: Type.String(),
  from: Type.Unknown({ description: 'As it is; null where it is not there.' }),
  to: Type.Unknown({ description: 'As in the draft; null where it is not there.' }),
});
export type Difference = Type.Static<typeof Difference>;

const HistoryEntry = closed({
  at: Timestamp,
  action: Type.String({ description: 'The name of the operation.' }),
  state: DraftState,
  email: Type.String({ description: 'Of who did it.' }),
  reason: nullable(Type.String()),
});
export type DraftHistoryEntry = Type.Static<typeof HistoryEntry>;

const DraftGetResponse = closed({
  ...CheckedDraft.properties,
  content: Content,
  differences: nullable(
    Type.Array(Difference, {
      description:
        'From the limits in force, or from the campaign that was copied; null of a draft that has no such thing.',
    }),
  ),
  history: Type.Array(HistoryEntry, { description: 'Each change of its state, the oldest first; the latest 100.' }),
});

const DraftGetRequest = closed(named);
const DraftDiscardRequest = closed(named);

const DraftSaveRequest = closed({
  client_id: ClientId,
  draft_id: Type.Optional(DraftId),
  revision: Type.Optional(
    Type.Integer({ ...Revision, description: 'The one that is replaced; absent for a draft that is not there yet.' }),
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
  target_id: Type.Optional(Type.String({ ...CampaignId, description: 'Only those of this campaign or job.' })),
  state: Type.Optional(DraftState),
  author: Type.Optional(Type.Literal('me', { description: 'Only your own.' })),
  waiting_for_me: Type.Optional(Type.Boolean({ description: 'Only what you could approve now.' })),
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

const DraftListResponse = closed({
  drafts: Type.Array(Draft, { description: 'Newest first.' }),
  next_cursor: nullable(Cursor),
});

/** The title of a draft is taken from its content only if it matches this schema. */
export const DraftTitle = text(255, 'A name for people');

const DraftsWaitingRequest = closed({ client_id: Type.Optional(ClientId) });
export const DraftsWaitingResponse = closed({
  waiting: Type.Integer({ minimum: 0, description: 'Drafts that wait for somebody to decide.' }),
  for_me: Type.Integer({ minimum: 0, description: 'Of these, those that you could approve.' }),
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
