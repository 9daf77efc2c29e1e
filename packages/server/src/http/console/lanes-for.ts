import assert from 'node:assert/strict';
import { withinAllowance } from '../../changes/allowance.ts';
import type { Answers, Command, CommandKind, CommandOf } from '../../domain/command.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { StaffCall } from './call.ts';

/**
 * The lanes, for somebody of the staff: what goes through them is recorded with who gave it, what must be a draft first is
 * refused, and a free bet with terms of its own counts against what its giver may have without approval.
 */
export function lanesFor({ services, by }: StaffCall): Lanes {
  const { lanes, consolePool: pool, approvalLimits, partnerProfile: profileOf } = services;
  const allowance = { pool, by, approvalLimits, profileOf };

  async function submit<K extends CommandKind>(clientId: number, commands: readonly CommandOf<K>[]) {
    const given = commands.map((command): CommandOf<K> => ({ ...command, by, isGated: true }));
    const issue = (given as Command[]).find((command) => command.kind === 'issue_direct');
    if (issue === undefined) return lanes.submit<K>(clientId, given);
    assert.equal(given.length, 1, 'staff give one such free bet at a time');
    const carryOut = async () => (await lanes.submit<K>(clientId, given))[0] as Outcome<Answers[K]>;
    return [await withinAllowance(allowance, clientId, issue, carryOut)];
  }
  return { ...lanes, submit };
}
