import assert from 'node:assert/strict';
import { Refused } from '../../audit/change.ts';
import type { Services } from '../../calls/services.ts';
import type { StaffCall } from '../../calls/staff-call.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { Answers, Command, CommandKind, CommandOf, Lanes } from '../batch/command.ts';
import { type AllowanceContext, assertWithinAllowance, withinAllowance } from './allowance.ts';

// Commands of somebody of the staff: they are recorded with who gave them, and what must be a draft first is refused. A free bet with
// terms of its own counts against what its giver may have without approval; one that is only tried must be within it, too.

export function lanesFor(call: StaffCall): Lanes {
  const { lanes } = call.services;

  async function submit<K extends CommandKind>(clientId: number, commands: readonly CommandOf<K>[]) {
    const given = commands.map((command): CommandOf<K> => ({ ...command, by: call.by, isGated: true }));
    const issue = directIssueIn(given);
    if (issue === undefined) return ofSignedIn(await lanes.submit<K>(clientId, given));
    const carryOut = async (judged: CommandOf<'issue_direct'>) =>
      (await lanes.submit<'issue_direct'>(clientId, [judged]))[0] as Outcome<Answers[K]>;
    return ofSignedIn([await withinAllowance(allowanceOf(call), clientId, issue, carryOut)]);
  }
  return { ...lanes, submit };
}

/** Who was shut out meanwhile is told so, also where each of many commands has an outcome of its own. */
function ofSignedIn<T>(outcomes: Outcome<T>[]): Outcome<T>[] {
  if (outcomes.some((outcome) => !outcome.ok && outcome.error === 'not_signed_in')) throw new Refused('not_signed_in');
  return outcomes;
}

/** A campaign is tried all the same: what it could win is to be known before it is a draft. */
export const tryFor =
  (call: StaffCall): NonNullable<Services['beforeTry']> =>
  async (clientId, commands) => {
    const issue = directIssueIn(commands);
    if (issue !== undefined) await assertWithinAllowance(allowanceOf(call), clientId, issue);
  };

const allowanceOf = ({ services, by }: StaffCall): AllowanceContext => {
  const { consolePool: pool, approvalLimits, partnerProfile: profileOf } = services;
  return { pool, by, approvalLimits, profileOf };
};

function directIssueIn(commands: readonly Command[]): CommandOf<'issue_direct'> | undefined {
  const issue = commands.find((command) => command.kind === 'issue_direct');
  if (issue !== undefined) assert.equal(commands.length, 1, 'staff give one such free bet at a time');
  return issue;
}
