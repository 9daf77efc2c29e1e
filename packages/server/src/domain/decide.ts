import type { Instant } from './amounts.ts';
import { createCampaign, stopCampaign } from './campaign-rules.ts';
import type { Command } from './command.ts';
import { cancelFreeBet, expireFreeBet, issueByCampaign, issueDirect } from './free-bet-rules.ts';
import type { Outcome } from './outcome.ts';
import { placeBet, rollBackBet, settleBet } from './round-rules.ts';
import type { WorkingSet } from './working-set.ts';

// What each command does. Pure over the working set: time and ids come in, the outcome comes back as a value, and a refused
// command leaves the working set as it was.

export function decide(working: WorkingSet, command: Command, now: Instant): Outcome {
  switch (command.kind) {
    case 'create_campaign':
      return createCampaign(working, command, now);
    case 'stop_campaign':
      return stopCampaign(working, command, now);
    case 'issue_by_campaign':
      return issueByCampaign(working, command, now);
    case 'issue_direct':
      return issueDirect(working, command, now);
    case 'cancel_free_bet':
      return cancelFreeBet(working, command, now);
    case 'expire_free_bet':
      return expireFreeBet(working, command, now);
    case 'place_bet':
      return placeBet(working, command, now);
    case 'settle_bet':
      return settleBet(working, command, now);
    case 'roll_back_bet':
      return rollBackBet(working, command, now);
  }
}
