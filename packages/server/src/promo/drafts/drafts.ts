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
import { samePersonDetail } from '../../people/confirmations/confirmations.ts';
import { countAsOnePerson } from '../../people/confirmations/sql.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { writesOf } from '../batch/batch.ts';
import type { Loaded } from '../batch/load.ts';
import { isUnchanged } from '../batch/working-set.ts';
import { approvalReasons, centsOf } from './approval.ts';
import { type Draft, draftState, openFields, reopened } from './draft.ts';
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
  revalidate,
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

// Drafts from the first save to their result: a campaign, limits or a started job. A change locks the draft's row
// first, then the author's row, which guards the author's unapproved exposure, then what a batch locks. An approval and
// its result commit in one transaction, with the same rules as in the lanes.

export interface DraftChangeContext extends DraftContext {
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
  /** Called after the result of an approved draft is committed. */
  committed(clientId: number): void;
}

export interface Key {
  clientId: number;
  draftId: string;
}

/** Identifies one revision of a draft. */
export interface DraftRevision extends Key {
  revision: number;
}

export interface SavedContent extends Content {
  /** The revision to replace; null for a new draft. */
  revision: number | null;
  /** The campaign from which a new draft was copied. */
  copyOf: string | null;
}

interface DraftDone extends Done<FoundDraft> {
  /** Whether the draft's command changed anything. */
  hasChanges?: boolean;
}

const maxAttempts = 3;

/** Runs `work` in one transaction and retries lost races. `measuring` runs before the transaction. */
async function changeDraft(
  context: DraftChangeContext,
  work: (connection: PoolClient, measured: Measured | undefined) => Promise<DraftDone>,
  measuring: () => Promise<Measured | undefined> = async () => undefined,
): Promise<FoundDraft> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    let hasChanges = false;
    try {
      const measured = await measuring();
      const found = await change(context, async (connection) => {
        const done = await work(connection, measured);
        hasChanges = done.hasChanges ?? false;
        return { ...done, clientId: done.answer.draft.clientId };
      });
      if (hasChanges) context.committed(found.draft.clientId);
      return found;
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
  }
  throw new Refused('unavailable');
}

/** Examines the saved content, so that the author sees its problems. */
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
  // A repeated request, because the response to the first one was lost.
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
  ...openFields,
});

/** Carries the draft out immediately if it is within the limits; otherwise it waits for approval. */
export const submitDraft = (context: DraftChangeContext, wanted: DraftRevision): Promise<FoundDraft> =>
  changeDraft(
    context,
    async (connection, measured) => {
      const { found, draft, state, now } = await lockExisting(connection, wanted);
      if (draft.author !== staffIdOf(context)) throw new Refused('not_author');
      if (draft.revision !== wanted.revision) throw new Refused('draft_changed');
      // A repeated request, because the response to the first one was lost.
      if (state === 'submitted' || state === 'approved') return { answer: found, changed: null };
      if (state !== 'open') throw notOpen(state);
      await assertAuthorMay(connection, draft);
      const { loaded, outcome: _, ...judged } = await judgeDraft(connection, context, draft, measured);
      if (draft.kind === 'limits') await assertNoOtherLimits(connection, { ...draft, ...judged });
      const reading = readUnapprovedExposure(draft.author);
      const used = (await inOneTrip(connection, [reading])).of(reading);
      const submitted: Draft = {
        ...draft,
        ...judged,
        state: 'submitted',
        submittedAt: now,
        submittedHash: hash('sha256', draft.content),
        submitReason: context.by.reason,
        needsApproval: approvalReasons(judged.exposure ?? [], context.approvalLimits, used).length > 0,
      };
      if (submitted.needsApproval) return write(connection, draft, submitted);
      await countAsUnapproved(connection, submitted);
      const approved: Draft = { ...submitted, state: 'approved', decidedAt: now };
      return approve(connection, draft, approved, loaded);
    },
    () => measure(context, wanted),
  );

/**
 * Approves the submitted content, byte for byte. Refuses if its exposure or payout type changed since the submission.
 */
export const approveDraft = (context: DraftChangeContext, wanted: DraftRevision): Promise<FoundDraft> =>
  changeDraft(
    context,
    async (connection, measured) => {
      const { found, draft, now } = await draftToDecide(connection, context, wanted, 'approved');
      if (found !== undefined) return { answer: found, changed: null };
      await assertAuthorMay(connection, draft);
      const { loaded, exposure, stakeReturned } = await judgeDraft(connection, context, draft, measured);
      await assertMayDecide(connection, context, draft);
      await assertAnotherPerson(connection, context, draft);
      if (!isDeepStrictEqual(exposure, draft.exposure)) throw changedSinceSubmission('max_exposure');
      // An exposure without a bound is null with either payout type.
      if (stakeReturned !== draft.stakeReturned) throw changedSinceSubmission('stake_returned');
      return approve(connection, draft, decided(context, draft, 'approved', now), loaded);
    },
    () => measure(context, wanted),
  );

export const refuseDraft = (context: DraftChangeContext, wanted: DraftRevision): Promise<FoundDraft> =>
  changeDraft(context, async (connection) => {
    const { found, draft, now } = await draftToDecide(connection, context, wanted, 'refused');
    if (found !== undefined) return { answer: found, changed: null };
    await assertMayDecide(connection, context, draft);
    return write(connection, draft, decided(context, draft, 'refused', now));
  });

export const discardDraft = (context: DraftChangeContext, key: Key): Promise<FoundDraft> =>
  changeDraft(context, async (connection) => {
    const { found, draft, now } = await lockExisting(connection, key);
    if (draft.author !== staffIdOf(context)) throw new Refused('not_author');
    if (draft.state === 'discarded') return { answer: found, changed: null };
    if (draft.state === 'approved') throw notOpen(draft.state);
    return write(connection, draft, { ...draft, state: 'discarded', changedAt: now });
  });

/** Returns `found` if the same person repeats a decision. */
async function draftToDecide(
  connection: PoolClient,
  context: DraftChangeContext,
  wanted: DraftRevision,
  as: 'approved' | 'refused',
): Promise<{ draft: Draft; now: WorldInstant; found?: FoundDraft }> {
  const { found, draft, state, now } = await lockExisting(connection, wanted);
  if (draft.author === staffIdOf(context)) throw new Refused('own_draft');
  if (draft.revision !== wanted.revision) throw new Refused('draft_changed');
  if (state === as && draft.decidedBy === staffIdOf(context)) return { draft, now, found };
  if (state !== 'submitted') throw notOpen(state);
  return { draft, now };
}

/** Checks the rights again under the locks: waiting for them takes time in which the person may have lost access. */
async function assertMayDecide(
  connection: PoolClient,
  context: DraftChangeContext,
  { clientId }: Draft,
): Promise<void> {
  const reading = readRights(staffIdOf(context), clientId);
  if (!hasRights((await inOneTrip(connection, [reading])).of(reading))) throw new Refused('not_allowed');
}

/** If changes need a second admin, a person whom only the author has let in can't approve the author's drafts. */
async function assertAnotherPerson(connection: PoolClient, context: DraftChangeContext, draft: Draft): Promise<void> {
  if (!context.confirming) return;
  if (await ask(connection, countAsOnePerson(staffIdOf(context), draft.author)))
    throw new Refused('own_draft', [samePersonDetail]);
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
  assert(actor.kind === 'staff', 'a draft belongs to a staff member');
  return actor.staff_id;
}

const changedSinceSubmission = (field: string): Refused =>
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

async function lockExisting(connection: PoolClient, key: Key) {
  const { found, now } = await lockAndRead(connection, key);
  if (found === undefined) throw new Refused('draft_not_found');
  return { found, draft: found.draft, state: draftState(found.draft, now), now };
}

/** Locks the author's row, so that the author's other submissions wait. */
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
  const command: DraftCommand = { ...unwrapped(context.read(draft).command), by: context.by };
  const loaded = await load(connection, context, draft.clientId, command, 'lock');
  const judged = await judge(connection, loaded, command, revalidate(measured));
  unwrapped(judged.outcome);
  return { ...judged, loaded };
}

function unwrapped<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Refused(outcome.error, outcome.details);
  return outcome.value;
}

/** `judgeDraft` has locked the campaign, so two drafts submitted at the same time see each other. */
async function assertNoOtherLimits(connection: PoolClient, draft: Draft): Promise<void> {
  const reading = findPendingLimits(draft);
  const other = (await inOneTrip(connection, [reading])).of(reading);
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

/** The rule has already run on `loaded`. Writes the draft and the rows of the batch in one round trip. */
const approve = async (connection: PoolClient, before: Draft, after: Draft, loaded: Loaded): Promise<DraftDone> => ({
  ...(await write(connection, before, after, writesOf(loaded))),
  hasChanges: !isUnchanged(loaded.working),
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
  assert(found, 'the written draft exists');
  return { answer: found, changed: changedOf(before, after) };
}

/** The audit log records the content only at submission; until then it may be anything. */
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
