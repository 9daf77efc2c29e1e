import type { TripResults } from '../../engine/round-trip.ts';
import type { Statement } from '../../engine/statement.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { findExistingFreeBets } from '../free-bets/sql.ts';
import { findBets } from '../rounds/sql.ts';
import type { Command } from './command.ts';
import { needsOfAll } from './decide.ts';
import type { Loaded } from './load.ts';
import { rowKeysOf } from './row-keys.ts';
import { betKey } from './working-set.ts';

// What does not exist cannot be locked. Of two servers that make something under one id the primary key stops the second; but a
// command that is refused writes nothing. It may have been refused for what its own batch did, such as to take the last of a limit, while
// another server made something else under its id, and committed first: by the numbers of the events the id was taken before the
// limit was reached, and `id_reused` is the answer. So a batch that changes something looks up the ids of the issues and bets it
// refused once more, behind the lock of the event numbers where there are events; and whoever brought one that exists by then is
// carried out again.
//
// Not so the items of a job, whose refusals are written down with the batch itself, and a job under an id that another server took, of
// which no event tells: they are refused as things stood when the batch was loaded.

interface Recheck {
  statements: Statement[];
  /** The commands whose ids somebody else has taken. */
  overtaken(answers: TripResults): ReadonlySet<Command>;
}

/** Of a batch that changes something; undefined where there is nothing to look up. */
export function recheckOf({ share, working }: Loaded, outcomes: readonly Outcome[]): Recheck | undefined {
  // What makes something carries the hash of its content.
  const refused = share.commands.filter((command, i) => !outcomes[i]?.ok && 'contentHash' in command);
  if (refused.length === 0) return undefined;
  const keys = rowKeysOf(needsOfAll(refused));
  const newIssueIds = keys.newIssueIds.filter((issueId) => !working.freeBets.has(issueId));
  const bets = keys.bets.filter(({ providerId, betId }) => !working.bets.has(betKey(providerId, betId)));
  if (newIssueIds.length + bets.length === 0) return undefined;
  const findFreeBets = newIssueIds.length > 0 ? [findExistingFreeBets(share.clientId, { newIssueIds })] : [];
  const findAllBets = findBets(share.clientId, { bets });
  return {
    statements: [...findFreeBets, ...findAllBets],
    overtaken(answers) {
      const issueIds = new Set(findFreeBets.flatMap((find) => answers.of(find)).map((row) => row.issue_id));
      const betKeys = new Set(
        findAllBets.flatMap((find) => answers.of(find)).map(({ providerId, betId }) => betKey(providerId, betId)),
      );
      const isOvertaken = (command: Command) =>
        needsOfAll([command]).some(
          ({ newIssueId = '', bet }) =>
            issueIds.has(newIssueId) || (bet !== undefined && betKeys.has(betKey(bet.providerId, bet.betId))),
        );
      return new Set(refused.filter(isOvertaken));
    },
  };
}
