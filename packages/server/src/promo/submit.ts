import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { Refused } from '../audit/change.ts';
import type { Attribution } from '../audit/entry.ts';
import type { Call } from '../calls/call.ts';
import { type FairQueue, type ReadServices, readInTurn } from '../calls/fair-queue.ts';
import type { PartnerProfile } from '../partners/profile.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import type { Command, CommandKind, CommandOf, CommandResults, Lanes } from './batch/command.ts';
import { dryRun, type Tried } from './batch/dry-run.ts';
import type { CampaignDefinitions } from './campaigns/sql/definitions.ts';
import { type AllowanceContext, assertWithinAllowance, withinAllowance } from './drafts/allowance.ts';

// Runs the commands of a request in the lane of its partner. A dry run decides them by the same rules on rows that it
// reads. Commands of staff are audited, and refused if they need a draft. A free bet with its own terms counts against
// the amount that the staff member may give without approval, and a dry run checks that amount too.

export interface SubmitServices extends ReadServices {
  lanes: Pick<Lanes, 'submit'>;
  definitions: CampaignDefinitions;
  partnerProfile(clientId: number): PartnerProfile;
  /** For the amounts that staff may give without approval. */
  consolePool: Pool;
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
}

type SubmitCall = Call<SubmitServices>;

/** The partner of the commands, and whether this is a dry run. */
interface Order {
  client_id: number;
  dry_run?: boolean;
}

const unavailable = refuse('unavailable');

/** A game provider may name any partner. One that does not exist takes the same time as one without such a free bet. */
export async function submitCommand<K extends CommandKind>(
  call: SubmitCall,
  order: Order,
  command: CommandOf<K>,
): Promise<Outcome<CommandResults[K] & { dry_run?: true }>> {
  const [outcome] = await submitCommands<K>(call, order, [command]);
  if (outcome === undefined) throw new Error('a command had no outcome');
  return outcome.ok && order.dry_run ? done({ ...outcome.value, ...dryRunField(order) }) : outcome;
}

/** For slow commands. Makes the command when its turn comes. */
export const submitInTurn = async <K extends CommandKind>(
  call: SubmitCall,
  turns: FairQueue,
  order: Order,
  make: () => CommandOf<K>,
): Promise<Outcome<CommandResults[K]>> =>
  (await turns.take(call.caller, () => submitCommand(call, order, make()))) ?? unavailable;

/** Returns the outcomes in the order of the commands. */
export async function submitCommands<K extends CommandKind>(
  call: SubmitCall,
  { client_id: clientId, dry_run }: Order,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<CommandResults[K]>[]> {
  if (dry_run) {
    const tried = await tryCommands<K>(call, clientId, commands);
    return tried.ok ? tried.value.outcomes : commands.map(() => tried);
  }
  const { by, services } = call;
  return by === undefined
    ? services.lanes.submit<K>(clientId, commands)
    : submitForStaff<K>(services, by, clientId, commands);
}

/** The response to a dry run says that it is one. */
export const dryRunField = ({ dry_run }: Order): { dry_run?: true } => (dry_run ? { dry_run } : {});

/** If the service could take none of the commands, the caller should send the whole request again. */
export const areUnavailable = (outcomes: readonly Outcome[]): boolean =>
  outcomes.length > 0 && outcomes.every((outcome) => !outcome.ok && outcome.error === 'unavailable');

export async function tryCommands<K extends CommandKind>(
  call: SubmitCall,
  clientId: number,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<Tried<K>>> {
  const { by, services } = call;
  const issue = by && directIssueIn(commands);
  if (by && issue) await assertWithinAllowance(allowanceOf(services, by), clientId, issue);
  const share = { clientId, partner: services.partnerProfile(clientId), commands };
  return readInTurn(call, clientId, async (pool) => done(await dryRun<K>(pool, services.definitions, share)));
}

async function submitForStaff<K extends CommandKind>(
  services: SubmitServices,
  by: Attribution,
  clientId: number,
  commands: readonly CommandOf<K>[],
): Promise<Outcome<CommandResults[K]>[]> {
  const { lanes } = services;
  const given = commands.map((command): CommandOf<K> => ({ ...command, by, isGated: true }));
  const issue = directIssueIn(given);
  if (issue === undefined) return ofSignedIn(await lanes.submit<K>(clientId, given));
  const carryOut = async (judged: CommandOf<'issue_direct'>) =>
    (await lanes.submit<'issue_direct'>(clientId, [judged]))[0] as Outcome<CommandResults[K]>;
  return ofSignedIn([await withinAllowance(allowanceOf(services, by), clientId, issue, carryOut)]);
}

/** If the session has ended in the meantime, the whole request is refused, and not each of its commands. */
function ofSignedIn<T>(outcomes: Outcome<T>[]): Outcome<T>[] {
  if (outcomes.some((outcome) => !outcome.ok && outcome.error === 'not_signed_in')) throw new Refused('not_signed_in');
  return outcomes;
}

const allowanceOf = (
  { consolePool: pool, approvalLimits, partnerProfile: profileOf }: SubmitServices,
  by: Attribution,
): AllowanceContext => ({ pool, by, approvalLimits, profileOf });

function directIssueIn(commands: readonly Command[]): CommandOf<'issue_direct'> | undefined {
  const issue = commands.find((command) => command.kind === 'issue_direct');
  if (issue !== undefined) assert.equal(commands.length, 1, 'staff give one such free bet at a time');
  return issue;
}
