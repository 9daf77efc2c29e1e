import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { may } from '@freebets/contract';
import type { PoolClient } from 'pg';
import { change, type Done, Refused } from '../../audit/change.ts';
import type { Changed } from '../../audit/entry.ts';
import { readWorldNow } from '../../engine/clock.ts';
import { isLostRace } from '../../engine/faults.ts';
import { planByKeyFromHere } from '../../engine/planning.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import { inOneTrip } from '../../engine/transaction.ts';
import { asOne } from '../../people/confirmations/confirmations.ts';
import { countAsOnePerson } from '../../people/confirmations/sql.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { writesOf } from '../batch/batch.ts';
import type { Loaded } from '../batch/load.ts';
import { isUnchanged } from '../batch/working-set.ts';
import { centsOf, whyApprovalIsNeeded } from './approval.ts';
import { type Draft, draftState, inPreparation, reopened } from './draft.ts';
import {
  type Content,
  type DraftCommand,
  type DraftContext,
  type Examined,
  examine,
  type Judged,
  judge,
  load,
  type Measured,
  measure,
  stillOf,
} from './examination.ts';
import {
  type FoundDraft,
  findPendingLimits,
  getDraft,
  insertDraft,
  lockAuthor,
  lockDraft,
  type RightsRow,
  readRights,
  updateDraft,
} from './sql/drafts.ts';
import { holdUnapprovedExposure, readUnapprovedExposure } from './sql/unapproved-exposure.ts';

// Drafts, from the first save to the campaign, the limits or the job that come of them. Whoever changes one holds its row first;
// then that of its author, under which is counted what the author had without approval; then what a batch locks. What becomes of a
// draft is carried out by the rules of the lanes in the very transaction that decides it: both have happened, or neither.

export interface DraftChangeContext extends DraftContext {
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
  /** What became of a draft is committed: the partner has something new. */
  committed(clientId: number): void;
}

export interface Key {
  clientId: number;
  draftId: string;
}

/** Which content of a draft is meant. */
export interface Meant extends Key {
  revision: number;
}

export interface SavedContent extends Content {
  /** The one that is replaced; null for a draft that is not there yet. */
  revision: number | null;
  /** Of a new draft: the campaign it was copied from. */
  copyOf: string | null;
}

interface DraftDone extends Done<FoundDraft> {
  /** Whether something became of the draft. */
  isCarriedOut?: boolean;
}

const maxAttempts = 3;

/** One transaction; what another server was at in the meantime is tried again. `measured` is found out before it begins. */
async function changeDraft(
  context: DraftChangeContext,
  work: (connection: PoolClient, measured: Measured | undefined) => Promise<DraftDone>,
  measuring: () => Promise<Measured | undefined> = async () => undefined,
): Promise<FoundDraft> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    let isCarriedOut = false;
    try {
      const measured = await measuring();
      const found = await change(context, async (connection) => {
        const done = await work(connection, measured);
        isCarriedOut = done.isCarriedOut ?? false;
        return { ...done, clientId: done.answer.draft.clientId };
      });
      if (isCarriedOut) context.committed(found.draft.clientId);
      return found;
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
  }
  throw new Refused('unavailable');
}

/** Also what was saved is examined, so that the author sees what stands in its way. */
export async function saveDraft(
  context: DraftChangeContext,
  given: SavedContent,
): Promise<{ found: FoundDraft; examined: Examined }> {
  const examined = await examine(context, given);
  const found = await changeDraft(context, (connection) => save(connection, staffIdOf(context), given, examined));
  return { found, examined };
}

async function save(
  connection: PoolClient,
  staffId: string,
  given: SavedContent,
  { problems: _, ...kept }: Examined,
): Promise<DraftDone> {
  const { found, now } = await lockAndRead(connection, given);
  if (found === undefined) {
    if (given.revision !== null) throw new Refused('draft_not_found');
    return write(connection, null, newDraft(given, kept, staffId, now));
  }
  const { draft } = found;
  if (draft.author !== staffId) throw new Refused('not_author');
  if (draft.kind !== given.kind) throw new Refused('invalid_request', [{ field: 'kind', reason: `is ${draft.kind}` }]);
  const isSame = draft.content === given.content;
  // The answer to the first request did not arrive.
  if (isSame && draft.revision === (given.revision ?? 0) + 1) return { answer: found, changed: null };
  if (draft.state === 'approved' || draft.state === 'discarded') throw notOpen(draft.state);
  if (draft.revision !== given.revision) throw new Refused('draft_changed');
  if (isSame && draft.state === 'open') return { answer: found, changed: null };
  return write(connection, draft, { ...reopened(draft, now), ...kept, content: given.content });
}

const newDraft = (
  { clientId, draftId, kind, content, copyOf }: SavedContent,
  kept: Omit<Examined, 'problems'>,
  author: string,
  now: WorldInstant,
): Draft => ({
  clientId,
  draftId,
  kind,
  author,
  content,
  revision: 1,
  ...kept,
  copyOf,
  createdAt: now,
  changedAt: now,
  ...inPreparation,
});

/** It becomes what it asks for at once where it is within the limits; else it waits for somebody else. */
export const submitDraft = (context: DraftChangeContext, meant: Meant): Promise<FoundDraft> =>
  changeDraft(
    context,
    async (connection, measured) => {
      const { found, draft, state, now } = await theDraft(connection, meant);
      if (draft.author !== staffIdOf(context)) throw new Refused('not_author');
      if (draft.revision !== meant.revision) throw new Refused('draft_changed');
      // The answer to the first request did not arrive.
      if (state === 'submitted' || state === 'approved') return { answer: found, changed: null };
      if (state !== 'open') throw notOpen(state);
      await assertAuthorMay(connection, draft);
      const { loaded, outcome: _, ...judged } = await judgeDraft(connection, context, draft, measured);
      if (draft.kind === 'limits') await assertNoOtherLimits(connection, { ...draft, ...judged });
      const asked = readUnapprovedExposure(draft.author);
      const used = (await inOneTrip(connection, [asked])).of(asked);
      const submitted: Draft = {
        ...draft,
        ...judged,
        state: 'submitted',
        submittedAt: now,
        submittedHash: hash('sha256', draft.content),
        submitReason: context.by.reason,
        needsApproval: whyApprovalIsNeeded(judged.exposure ?? [], context.approvalLimits, used).length > 0,
      };
      if (submitted.needsApproval) return write(connection, draft, submitted);
      await countAsUnapproved(connection, submitted);
      const approved: Draft = { ...submitted, state: 'approved', decidedAt: now };
      return approve(connection, draft, approved, loaded);
    },
    () => measure(context, meant),
  );

/** Approves the submitted content, byte for byte. Refuses if its exposure or payout type is no longer the one it was submitted with. */
export const approveDraft = (context: DraftChangeContext, meant: Meant): Promise<FoundDraft> =>
  changeDraft(
    context,
    async (connection, measured) => {
      const { found, draft, now } = await draftToDecide(connection, context, meant, 'approved');
      if (found !== undefined) return { answer: found, changed: null };
      await assertAuthorMay(connection, draft);
      const { loaded, exposure, stakeReturned } = await judgeDraft(connection, context, draft, measured);
      await assertDecides(connection, context, draft);
      await assertAnotherPerson(connection, context, draft);
      if (!isDeepStrictEqual(exposure, draft.exposure)) throw changedSince('max_exposure');
      // An exposure without a bound is null with either payout type.
      if (stakeReturned !== draft.stakeReturned) throw changedSince('stake_returned');
      return approve(connection, draft, decided(context, draft, 'approved', now), loaded);
    },
    () => measure(context, meant),
  );

export const refuseDraft = (context: DraftChangeContext, meant: Meant): Promise<FoundDraft> =>
  changeDraft(context, async (connection) => {
    const { found, draft, now } = await draftToDecide(connection, context, meant, 'refused');
    if (found !== undefined) return { answer: found, changed: null };
    await assertDecides(connection, context, draft);
    return write(connection, draft, decided(context, draft, 'refused', now));
  });

export const discardDraft = (context: DraftChangeContext, key: Key): Promise<FoundDraft> =>
  changeDraft(context, async (connection) => {
    const { found, draft, now } = await theDraft(connection, key);
    if (draft.author !== staffIdOf(context)) throw new Refused('not_author');
    if (draft.state === 'discarded') return { answer: found, changed: null };
    if (draft.state === 'approved') throw notOpen(draft.state);
    return write(connection, draft, { ...draft, state: 'discarded', changedAt: now });
  });

/** With `found` where the same person has decided so already, and asks again. */
async function draftToDecide(
  connection: PoolClient,
  context: DraftChangeContext,
  meant: Meant,
  as: 'approved' | 'refused',
): Promise<{ draft: Draft; now: WorldInstant; found?: FoundDraft }> {
  const { found, draft, state, now } = await theDraft(connection, meant);
  if (draft.author === staffIdOf(context)) throw new Refused('own_draft');
  if (draft.revision !== meant.revision) throw new Refused('draft_changed');
  if (state === as && draft.decidedBy === staffIdOf(context)) return { draft, now, found };
  if (state !== 'submitted') throw notOpen(state);
  return { draft, now };
}

/** Asked again when the draft and what it is judged by are locked: that takes a while, in which who decides may have been shut out. */
async function assertDecides(connection: PoolClient, context: DraftChangeContext, { clientId }: Draft): Promise<void> {
  const reading = readRights(staffIdOf(context), clientId);
  if (!hasRights((await inOneTrip(connection, [reading])).of(reading))) throw new Refused('not_allowed');
}

/** If changes need a second admin, people whom the author alone has let in can't approve the author's drafts. */
async function assertAnotherPerson(connection: PoolClient, context: DraftChangeContext, draft: Draft): Promise<void> {
  if (!context.confirming) return;
  if (await ask(connection, countAsOnePerson(staffIdOf(context), draft.author)))
    throw new Refused('own_draft', [asOne]);
}

const hasRights = (row: RightsRow | undefined): boolean =>
  row !== undefined && !row.is_disabled && row.is_in_scope && may(row.role, ['manager']);

const decided = (
  context: DraftChangeContext,
  draft: Draft,
  state: 'approved' | 'refused',
  now: WorldInstant,
): Draft => ({
  ...draft,
  state,
  decidedBy: staffIdOf(context),
  decidedAt: now,
  decisionReason: context.by.reason,
});

function staffIdOf({ by: { actor } }: DraftChangeContext): string {
  assert(actor.kind === 'staff', 'a draft is somebody’s');
  return actor.staff_id;
}

const changedSince = (field: string): Refused =>
  new Refused('draft_changed', [{ field, reason: 'is not what it was when it was submitted' }]);

const notOpen = (state: string): Refused => new Refused('draft_not_open', [{ field: 'state', reason: `is ${state}` }]);

async function lockAndRead(
  connection: PoolClient,
  { clientId, draftId }: Key,
): Promise<{ found: FoundDraft | undefined; now: WorldInstant }> {
  const reading = getDraft(clientId, draftId);
  const asking = readWorldNow();
  const answers = await inOneTrip(connection, [planByKeyFromHere(), lockDraft(clientId, draftId), reading, asking]);
  return { found: answers.of(reading), now: answers.of(asking) };
}

async function theDraft(connection: PoolClient, key: Key) {
  const { found, now } = await lockAndRead(connection, key);
  if (found === undefined) throw new Refused('draft_not_found');
  return { found, draft: found.draft, state: draftState(found.draft, now), now };
}

/** Locks the author's row: what others submit for the same author waits. */
async function assertAuthorMay(connection: PoolClient, { author, clientId }: Draft): Promise<void> {
  const reading = readRights(author, clientId);
  const answers = await inOneTrip(connection, [lockAuthor(author), reading]);
  if (!hasRights(answers.of(reading))) throw new Refused('author_not_allowed');
}

async function judgeDraft(
  connection: PoolClient,
  context: DraftChangeContext,
  draft: Draft,
  measured: Measured | undefined,
): Promise<Judged & { loaded: Loaded }> {
  const command: DraftCommand = { ...acceptedOf(context.read(draft).command), by: context.by };
  const loaded = await load(connection, context, draft.clientId, command, 'lock');
  const judged = await judge(connection, loaded, command, stillOf(measured));
  acceptedOf(judged.outcome);
  return { ...judged, loaded };
}

function acceptedOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Refused(outcome.error, outcome.details);
  return outcome.value;
}

/** `judgeDraft` has locked the campaign, so two drafts that are submitted at the same moment see each other. */
async function assertNoOtherLimits(connection: PoolClient, draft: Draft): Promise<void> {
  const asked = findPendingLimits(draft);
  const other = (await inOneTrip(connection, [asked])).of(asked);
  if (other !== undefined) throw new Refused('limits_pending', [{ field: 'draft_id', reason: `is ${other}` }]);
}

async function countAsUnapproved(
  connection: PoolClient,
  { author, clientId, draftId, exposure }: Draft,
): Promise<void> {
  const cents = centsOf(exposure ?? []);
  const source = { staffId: author, clientId, kind: 'draft', id: draftId } as const;
  if (cents.size > 0) await inOneTrip(connection, [holdUnapprovedExposure(source, cents)]);
}

/** The rule has run on `loaded`. The draft is written first, because the last locks of a batch are those of its heads. */
const approve = async (connection: PoolClient, before: Draft, after: Draft, loaded: Loaded): Promise<DraftDone> => ({
  ...(await write(connection, before, after, writesOf(loaded))),
  isCarriedOut: !isUnchanged(loaded.working),
});

async function write(
  connection: PoolClient,
  before: Draft | null,
  after: Draft,
  writes: Statement[] = [],
): Promise<DraftDone> {
  const reading = getDraft(after.clientId, after.draftId);
  const writing = before === null ? insertDraft(after) : updateDraft(after);
  const found = (await inOneTrip(connection, [writing, reading, ...writes])).of(reading);
  assert(found, 'what was written is there');
  return { answer: found, changed: changedOf(before, after) };
}

/** The content itself is recorded when it is submitted; until then it may be anything. */
const changedOf = (before: Draft | null, after: Draft): Changed => ({
  target: { kind: 'draft', id: after.draftId },
  before: before && recordOf(before),
  after: {
    ...recordOf(after),
    ...(after.submittedAt !== null && before?.submittedAt === null && { content: JSON.parse(after.content) }),
  },
});

const recordOf = (draft: Draft) => ({
  kind: draft.kind,
  state: draft.state,
  revision: draft.revision,
  content_hash: hash('sha256', draft.content),
  title: draft.title,
  target_id: draft.targetId,
  max_exposure: draft.exposure,
  stake_returned: draft.stakeReturned,
  needs_approval: draft.needsApproval,
});
