import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { ClientId, type DraftDifference, DraftId, itemError, maxDraftBytes, may } from '@freebets/contract';
import type { Handlers, StaffCall } from '../../calls/call.ts';
import { type ChangeServices, changeContextOf } from '../../calls/changes.ts';
import { cursorsOf, isA, isInstant } from '../../calls/cursor.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import type { SignedIn } from '../../calls/signed-in.ts';
import { ask } from '../../engine/statement.ts';
import { inOneSnapshot } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { getCampaign } from '../campaigns/sql/reads.ts';
import { approvalReasons } from './approval.ts';
import { readContent } from './contents.ts';
import { campaignContent, type Draft, differencesOf, draftBody, limitsContent } from './draft.ts';
import {
  approveDraft,
  type DraftChangeContext,
  type DraftRevision,
  discardDraft,
  refuseDraft,
  type SavedContent,
  saveDraft,
  submitDraft,
} from './drafts.ts';
import { type Examined, examine } from './examination.ts';
import {
  countWaitingDrafts,
  type DraftKey,
  type FoundDraft,
  getDraft,
  listDrafts,
  readDraftHistory,
  type WaitingDrafts,
} from './sql/drafts.ts';
import { readUnapprovedExposure } from './sql/unapproved-exposure.ts';

type Names =
  | 'DraftList'
  | 'DraftGet'
  | 'DraftSave'
  | 'DraftCopy'
  | 'DraftDiscard'
  | 'DraftSubmit'
  | 'DraftApprove'
  | 'DraftRefuse'
  | 'DraftsWaiting';

interface DraftServices extends ChangeServices, ReportServices {
  definitions: CampaignDefinitions;
  partnerProfile(clientId: number): PartnerProfile;
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
  /** This server has committed a change of a partner, which may have emitted events. */
  committed: { emit(clientId: number): void };
}

type DraftCall = StaffCall<DraftServices>;

const draftContextOf = (call: DraftCall): DraftChangeContext => {
  const { services } = call;
  return {
    ...changeContextOf(call),
    slowRead: (read) => inReportTurn(call, read),
    definitions: services.definitions,
    profileOf: services.partnerProfile,
    approvalLimits: services.approvalLimits,
    committed: services.committed.emit,
    read: readContent,
  };
};

const keyOf = ({ client_id, draft_id }: { client_id: number; draft_id: string }) => ({
  clientId: client_id,
  draftId: draft_id,
});

const revisionOf = (body: { client_id: number; draft_id: string; revision: number }): DraftRevision => ({
  ...keyOf(body),
  revision: body.revision,
});

const bodyOf = ({ draft, author, decidedBy, now }: FoundDraft) => draftBody(draft, author, decidedBy, now);

/** An approved or discarded draft has no problems and needs no approval. */
const isClosed = ({ state }: Draft): boolean => state === 'approved' || state === 'discarded';

/** The exposure at submission. A job that holds another amount now shows it as a problem. */
const submittedExposure = ({ submittedAt, exposure }: Draft) =>
  submittedAt === null ? undefined : (exposure ?? undefined);

async function checkedBody(
  { services, person }: DraftCall,
  found: FoundDraft,
  { problems, exposure, stakeReturned }: Examined,
) {
  const body = bodyOf(found);
  if (isClosed(found.draft)) return { ...body, problems: [], approval_reasons: [] };
  const reading = readUnapprovedExposure(found.draft.author);
  const used = (await inOneSnapshot(services.consolePool, [reading])).of(reading);
  const reasons = approvalReasons(exposure ?? [], services.approvalLimits, used);
  return {
    ...body,
    max_exposure: found.draft.submittedAt === null ? exposure && [...exposure] : body.max_exposure,
    stake_returned: found.draft.submittedAt === null ? stakeReturned : body.stake_returned,
    needs_approval: body.needs_approval ?? (exposure === null ? null : reasons.length > 0),
    problems: problems.map(itemError),
    approval_reasons: reasons.map((each) => (maySeeAmounts(person, found.draft) ? each : { ...each, used: null })),
  };
}

/** The amount used by the author is a sum over all partners. */
const maySeeAmounts = (person: DraftCall['person'], { author }: Draft): boolean =>
  person?.partners === null || person?.staff_id === author;

async function save(call: DraftCall, given: SavedContent) {
  if (Buffer.byteLength(given.content) > maxDraftBytes) {
    return refuse('invalid_request', [{ field: 'content', reason: `must not be longer than ${maxDraftBytes} bytes` }]);
  }
  const { found, examined } = await saveDraft(draftContextOf(call), given);
  return done(await checkedBody(call, found, examined));
}

async function findCampaign({ services }: DraftCall, clientId: number, campaignId: string) {
  const reading = getCampaign(clientId, campaignId);
  return (await inOneSnapshot(services.consolePool, [reading])).of(reading);
}

/** From the limits in force or from the copied campaign; null if the draft has neither. */
async function differences(call: DraftCall, draft: Draft): Promise<DraftDifference[] | null> {
  const campaignId = draft.kind === 'limits' ? draft.targetId : draft.copyOf;
  const entry = campaignId === null ? undefined : await findCampaign(call, draft.clientId, campaignId);
  if (entry === undefined) return null;
  const before = draft.kind === 'limits' ? limitsContent(entry) : campaignContent(entry);
  return differencesOf(before, JSON.parse(draft.content));
}

const cursors = cursorsOf<DraftKey>({ at: isInstant, draftId: isA(DraftId), clientId: isA(ClientId) });

const cursorKeyOf = ({ draft: { createdAt, draftId, clientId } }: FoundDraft): DraftKey => ({
  at: Number(createdAt),
  draftId,
  clientId,
});

export const draftHandlers: Handlers<Names, DraftServices> = {
  async DraftList({ services, person }, body) {
    assert(person, 'the caller is signed in');
    const { client_id, kind = null, target_id = null, state = null, author, waiting_for_me, limit = 50, cursor } = body;
    const after = cursors.read(cursor);
    // Only managers approve.
    if (waiting_for_me && !may(person.role, ['manager'])) return done({ drafts: [], next_cursor: null });
    const reading = listDrafts({
      partners: client_id === undefined ? person.partners : [client_id],
      kind,
      targetId: target_id,
      state,
      author: author === undefined ? null : person.staff_id,
      notBy: waiting_for_me ? person.staff_id : null,
      after,
      // One extra row shows whether there is a next page.
      limit: limit + 1,
    });
    const found = (await inOneSnapshot(services.consolePool, [reading])).of(reading);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const next = found.length > shown.length && last !== undefined ? cursorKeyOf(last) : null;
    return done({ drafts: shown.map(bodyOf), next_cursor: cursors.write(next) });
  },

  async DraftGet(call, body) {
    const { clientId, draftId } = keyOf(body);
    const reading = getDraft(clientId, draftId);
    const readingHistory = readDraftHistory(clientId, draftId);
    const answers = await inOneSnapshot(call.services.consolePool, [reading, readingHistory]);
    const found = answers.of(reading);
    if (found === undefined) return refuse('draft_not_found');
    const { draft } = found;
    const isLive = !isClosed(draft);
    const examined = isLive
      ? await examine(draftContextOf(call), draft, submittedExposure(draft))
      : { ...draft, problems: [] };
    return done({
      ...(await checkedBody(call, found, examined)),
      content: JSON.parse(draft.content),
      differences: isLive ? await differences(call, draft) : null,
      history: answers.of(readingHistory),
    });
  },

  DraftSave: (call, body) =>
    save(call, {
      ...keyOf({ client_id: body.client_id, draft_id: body.draft_id ?? randomUUIDv7() }),
      revision: body.revision ?? null,
      kind: body.kind,
      content: JSON.stringify(body.content),
      copyOf: null,
    }),

  async DraftCopy(call, body) {
    const { client_id, campaign_id, draft_id = randomUUIDv7() } = body;
    const entry = await findCampaign(call, client_id, campaign_id);
    if (entry === undefined) return refuse('campaign_not_found');
    const content = JSON.stringify(campaignContent(entry));
    return save(call, {
      ...keyOf({ client_id, draft_id }),
      revision: null,
      kind: 'campaign',
      content,
      copyOf: campaign_id,
    });
  },

  DraftDiscard: async (call, body) => done(bodyOf(await discardDraft(draftContextOf(call), keyOf(body)))),
  DraftSubmit: async (call, body) => done(bodyOf(await submitDraft(draftContextOf(call), revisionOf(body)))),
  DraftApprove: async (call, body) => done(bodyOf(await approveDraft(draftContextOf(call), revisionOf(body)))),
  DraftRefuse: async (call, body) => done(bodyOf(await refuseDraft(draftContextOf(call), revisionOf(body)))),

  async DraftsWaiting({ services, person }, { client_id }) {
    assert(person, 'the caller is signed in');
    const partners = client_id === undefined ? person.partners : [client_id];
    const reading = countWaitingDrafts({ partners, among: 'all' }, person.staff_id);
    return done(waitingBody(person, await ask(services.consolePool, reading)));
  },
};

/** Only managers approve. */
export const waitingBody = ({ role }: SignedIn, { waiting, by_others }: WaitingDrafts) => ({
  waiting,
  for_me: may(role, ['manager']) ? by_others : 0,
});
