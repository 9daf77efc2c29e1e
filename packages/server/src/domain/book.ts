import type { Campaign, CampaignState } from './campaign.ts';
import type { Command } from './command.ts';
import type { FreeBet } from './free-bet.ts';
import type { Offer } from './offer.ts';

// The book is the working set of one batch of one partner: what its commands name, as loaded and locked, and what they
// change. Only `decide` changes it, and what stands under `changes` afterwards is what is written.

export interface CampaignEntry {
  campaign: Campaign;
  state: CampaignState;
}

export interface PlayerPlace {
  campaignId: string;
  playerId: string;
  /** Free bets of this campaign that the player holds a place for: issued and not cancelled. */
  held: number;
}

export interface Book {
  offer: Offer;
  campaigns: Map<string, CampaignEntry>;
  places: Map<string, PlayerPlace>;
  freeBets: Map<string, FreeBet>;
  changes: {
    newCampaigns: Set<CampaignEntry>;
    campaigns: Set<CampaignEntry>;
    places: Set<PlayerPlace>;
    newFreeBets: Set<FreeBet>;
    freeBets: Set<FreeBet>;
  };
}

/** What the commands of a batch name, and so what must be loaded before they can be decided. */
export interface Keys {
  campaignIds: string[];
  issueIds: string[];
  /** Pairs of campaign and player whose places may be asked for. */
  places: { campaignId: string; playerId: string }[];
}

export const placeKey = (campaignId: string, playerId: string): string => `${campaignId}\0${playerId}`;

export function emptyBook(offer: Offer): Book {
  return {
    offer,
    campaigns: new Map(),
    places: new Map(),
    freeBets: new Map(),
    changes: {
      newCampaigns: new Set(),
      campaigns: new Set(),
      places: new Set(),
      newFreeBets: new Set(),
      freeBets: new Set(),
    },
  };
}

export const isUnchanged = ({ changes }: Book): boolean => Object.values(changes).every((set) => set.size === 0);

export function keysOf(commands: readonly Command[]): Keys {
  const campaignIds = new Set<string>();
  const issueIds = new Set<string>();
  const places = new Map<string, Keys['places'][number]>();
  for (const command of commands) {
    if ('campaignId' in command) campaignIds.add(command.campaignId);
    if ('issueId' in command) issueIds.add(command.issueId);
    if (command.kind === 'issue_by_campaign') {
      places.set(placeKey(command.campaignId, command.playerId), command);
    }
  }
  return { campaignIds: [...campaignIds], issueIds: [...issueIds], places: [...places.values()] };
}
