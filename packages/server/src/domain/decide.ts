import type { Instant } from './amounts.ts';
import type { Book } from './book.ts';
import { createCampaign, stopCampaign } from './campaign-rules.ts';
import type { Command } from './command.ts';
import { cancelFreeBet, expireFreeBet, issueByCampaign, issueDirect } from './free-bet-rules.ts';
import type { Outcome } from './outcome.ts';
import { placeBet, rollBackBet, settleBet } from './round-rules.ts';

// What each command does. Pure over the book: time and ids come in, the outcome comes back as a value, and a refused
// command leaves the book as it was.

export function decide(book: Book, command: Command, now: Instant): Outcome {
  switch (command.kind) {
    case 'create_campaign':
      return createCampaign(book, command, now);
    case 'stop_campaign':
      return stopCampaign(book, command, now);
    case 'issue_by_campaign':
      return issueByCampaign(book, command, now);
    case 'issue_direct':
      return issueDirect(book, command, now);
    case 'cancel_free_bet':
      return cancelFreeBet(book, command, now);
    case 'expire_free_bet':
      return expireFreeBet(book, command, now);
    case 'place_bet':
      return placeBet(book, command, now);
    case 'settle_bet':
      return settleBet(book, command, now);
    case 'roll_back_bet':
      return rollBackBet(book, command, now);
  }
}
