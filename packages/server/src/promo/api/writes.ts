import assert from 'node:assert/strict';
import {
  type DetailBudget,
  type FreeBetBody,
  type IssueBatchResponse,
  IssueItem,
  isValid,
  itemError,
  maxDetails,
  type OperationName,
  type Refusal,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Slice } from '../../calls/fair-work.ts';
import { partnerOf, takeTurn } from '../../calls/read-turns.ts';
import type { Services } from '../../calls/services.ts';
import { validateIssueItem } from '../../calls/validation.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import type { Answers, CommandKind, CommandOf } from '../batch/command.ts';
import { dryRun, type Tried } from '../batch/dry-run.ts';
import { maxExposureOf } from '../campaigns/campaign.ts';
import { cancelCommand, createCampaignCommand, issueCommand } from './commands.ts';

// Writes go through the lane of the partner. One that is only tried is decided by the same rules on rows that are read.

type Write<N extends OperationName> = (services: Services, body: RequestOf<N>) => Promise<Outcome<ResponseOf<N>>>;

/** Of the partner `client_id`, to be carried out or only tried. */
interface Order {
  client_id: number;
  dry_run?: boolean;
}

/** The outcomes, in the order of the commands. */
const outcomesOf = <K extends CommandKind>(
  services: Services,
  { client_id: clientId, dry_run }: Order,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<Answers[K]>[]> =>
  dry_run ? triedOutcomesOf(services, clientId, commands) : services.lanes.submit<K>(clientId, commands);

const triedOutcomesOf = async <K extends CommandKind>(
  services: Services,
  clientId: number,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<Answers[K]>[]> =>
  (await tryCommands<K>(services, clientId, commands))?.outcomes ?? commands.map(() => unavailable);

const unavailable = refuse('unavailable');

/** Undefined if there is no room for another read. */
async function tryCommands<K extends CommandKind>(
  services: Services,
  clientId: number,
  commands: readonly CommandOf<K>[],
): Promise<Tried<K> | undefined> {
  const { readsOf, definitions, partnerProfile } = services;
  await services.beforeTry?.(clientId, commands);
  const share = { clientId, partner: partnerProfile(clientId), commands };
  const read = () => dryRun<K>(readsOf(clientId), definitions, share);
  return takeTurn(services, clientId, partnerOf({ client_id: clientId }), read);
}

/**
 * A provider may name any partner. One that does not exist takes the same way as one that has no such free bet, and so
 * cannot be told from it, not even by time.
 */
export async function submitCommand<K extends CommandKind>(
  services: Services,
  order: Order,
  command: CommandOf<K>,
): Promise<Outcome<Answers[K] & { dry_run?: true }>> {
  const [outcome] = await outcomesOf<K>(services, order, [command]);
  if (outcome === undefined) throw new Error('a command had no outcome');
  return outcome.ok && order.dry_run ? done({ ...outcome.value, ...dryRunField(order) }) : outcome;
}

/** The answer to a dry run says that it is one. */
const dryRunField = ({ dry_run }: Order): { dry_run?: true } => (dry_run ? { dry_run } : {});

export const createCampaign: Write<'CampaignCreate'> = async (services, body) => {
  const command = createCampaignCommand(body);
  if (!body.dry_run) return submitCommand(services, body, command);
  const tried = await tryCommands(services, body.client_id, [command]);
  if (tried === undefined) return unavailable;
  const [outcome] = tried.outcomes as [Outcome<Answers['create_campaign']>];
  if (!outcome.ok) return outcome;
  const entry = tried.working.campaigns.get(command.campaignId);
  assert(entry, 'a campaign that was accepted is in the working set');
  return done({ ...outcome.value, ...dryRunField(body), max_exposure: maxExposureOf(entry.campaign) });
};

export async function issueBatch(
  services: Services,
  body: RequestOf<'IssueBatch'>,
  slice: Slice,
): Promise<Outcome<ResponseOf<'IssueBatch'>>> {
  const { items } = body;
  const budget = { left: maxDetails };
  const invalid = new Map<number, Refusal>();
  const commands: CommandOf<'issue_by_campaign' | 'issue_direct'>[] = [];
  for (const [i, item] of items.entries()) {
    if (slice.isOver()) await slice.pause();
    const refusal = whyInvalid(item, budget);
    if (refusal === undefined) commands.push(issueCommand(item as IssueItem));
    else invalid.set(i, refusal);
  }
  slice.end();
  const outcomes = await outcomesOf(services, body, commands);
  if (areUnavailable(outcomes)) return refuse('unavailable');
  const room = { details: maxDetails, bytes: maxBatchDetailBytes };
  const inOrder = outcomes.values();
  const results = items.map((item, i) => {
    const refusal = invalid.get(i);
    const outcome = refusal === undefined ? inOrder.next().value : { ok: false as const, ...refusal };
    if (outcome === undefined) throw new Error('an item had no outcome');
    if (outcome.ok) return batchItem(outcome.value);
    return { issue_id: issueIdOf(item), error: itemError(withinRoom(outcome, room)) };
  });
  return done({ results, ...dryRunField(body) });
}

/** Collects details only while the batch has room for more, because that takes most of the time of an invalid item. */
function whyInvalid(item: unknown, budget: DetailBudget): Refusal | undefined {
  if (budget.left <= 0) return isValid(IssueItem, item) ? undefined : { error: 'invalid_request' };
  const details = validateIssueItem(item, budget);
  return details.length === 0 ? undefined : { error: 'invalid_request', details };
}

/** The limit in bytes for the details of all items together, next to `maxDetails`. */
const maxBatchDetailBytes = 16 * 1024;

/** Leaves out details beyond the limits, so that the response to a batch of errors is not much longer than the batch. */
function withinRoom({ error, details = [] }: Refusal, room: { details: number; bytes: number }): Refusal {
  const kept = details.slice(0, room.details);
  room.details -= kept.length;
  room.bytes -= Buffer.byteLength(JSON.stringify(kept));
  return kept.length === 0 || room.bytes < 0 ? { error } : { error, details: kept };
}

/** When the service could take none of them, the caller should simply send the whole request again. */
const areUnavailable = (outcomes: readonly Outcome[]): boolean =>
  outcomes.length > 0 && outcomes.every((outcome) => !outcome.ok && outcome.error === 'unavailable');

export const cancelBatch: Write<'CancelBatch'> = async (services, body) => {
  const commands = body.issue_ids.map(cancelCommand);
  const outcomes = await outcomesOf(services, body, commands);
  if (areUnavailable(outcomes)) return refuse('unavailable');
  const results = outcomes.map((outcome, i) => {
    const { issueId: issue_id } = commands[i] as (typeof commands)[number];
    return outcome.ok ? { issue_id } : { issue_id, error: itemError(outcome) };
  });
  return done({ results });
};

/** Without the games of its campaign, which would make a thousand items long, and which the campaign knows. */
function batchItem(freeBet: FreeBetBody): IssueBatchResponse['results'][number] {
  // What is undefined is not written; a copy of all the others takes fifteen times as long.
  return freeBet.campaign_id === null ? freeBet : { ...freeBet, games: undefined };
}

/** What the caller gave as an id, valid or not, so that it can tell its items apart. Half a character would make the answer unreadable. */
function issueIdOf(item: unknown): string | null {
  const id = (item as { issue_id?: unknown } | null)?.issue_id;
  return typeof id === 'string' ? id.slice(0, 64).toLowerCase().toWellFormed() : null;
}
