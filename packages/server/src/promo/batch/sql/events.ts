import { randomUUIDv7 } from 'node:crypto';
import { moveEventHeads } from '../../../engine/clock.ts';
import { insertInto } from '../../../engine/rows.ts';
import type { Statement } from '../../../engine/statement.ts';
import { formatInstant, type Instant } from '../../../primitives/amounts.ts';
import { type Campaign, type CampaignState, newCampaignState } from '../../campaigns/campaign.ts';
import type { FreeBetSnapshot } from '../../free-bets/free-bet.ts';
import { type StoredTerms, termsOfStored } from '../../free-bets/sql.ts';
import type { JobSnapshot } from '../../jobs/job.ts';
import type { BetSnapshot } from '../../rounds/bet.ts';
import type { BetEvent, CampaignEvent, EmittedEvent, FreeBetEvent, JobEvent } from '../event.ts';

// Writes the events of each partner in a batch as one row, numbered from its event head on.
// Events store only what happened: the definition of a campaign never changes and is added when events are read. A job
// is stored whole, because it has one event at most.

/** One event of a row. */
export type StoredEvent =
  | { id: string; type: FreeBetEvent['type']; freeBet: StoredFreeBet }
  | { id: string; type: BetEvent['type']; freeBet: StoredFreeBet; bet: StoredBet }
  // State that did not exist when the event was written has the values of a new campaign.
  | { id: string; type: CampaignEvent['type']; campaignId: string; state: Partial<CampaignState> }
  | { id: string; type: JobEvent['type']; job: JobSnapshot };

type Usual = 'cancelledAt' | 'betsPlaced' | 'betsSettled' | 'swept';
type StoredFreeBet = Omit<FreeBetSnapshot, 'terms' | Usual> &
  Partial<Pick<FreeBetSnapshot, Usual>> & { terms?: StoredTerms };
type StoredBet = Omit<BetSnapshot, 'winAmount'> & { winAmount: string | null };

function stored(emitted: EmittedEvent): StoredEvent {
  const id = randomUUIDv7();
  if ('campaign' in emitted)
    return { id, type: emitted.type, campaignId: emitted.campaign.campaignId, state: emitted.state };
  if ('job' in emitted) return { id, ...emitted };
  const freeBet = storedFreeBet(emitted.freeBet);
  if (!('bet' in emitted)) return { id, type: emitted.type, freeBet };
  return {
    id,
    type: emitted.type,
    freeBet,
    bet: { ...emitted.bet, winAmount: emitted.bet.winAmount?.toString() ?? null },
  };
}

/** The values that a free bet has when it is issued. They are not stored. */
const usual: Pick<FreeBetSnapshot, Usual> = { cancelledAt: null, betsPlaced: 0, betsSettled: 0, swept: false };

function storedFreeBet(freeBet: FreeBetSnapshot): StoredFreeBet {
  const { issueId, campaignId, playerId, currency, betAmount, issuedAt, expiresAt } = freeBet;
  const { terms, cancelledAt, betsPlaced, betsSettled, swept } = freeBet;
  const promised = { issueId, campaignId, playerId, currency, betAmount, issuedAt, expiresAt };
  const isUsual = cancelledAt === null && betsPlaced === 0 && betsSettled === 0 && !swept;
  const stored = isUsual ? promised : { ...promised, cancelledAt, betsPlaced, betsSettled, swept };
  return campaignId === null ? { ...stored, terms } : stored;
}

interface EventRow {
  first: number;
  last: number;
  at: Instant;
  events: string;
}

/** The numbers are free, because the batch holds the event heads of its partners. */
const insert = insertInto<EventRow>(
  'event_batches',
  {
    first_sequence: { type: 'bigint', of: ({ first }) => first },
    last_sequence: { type: 'bigint', of: ({ last }) => last },
    occurred_at: { type: 'timestamptz', of: ({ at }) => formatInstant(at) },
    events: { type: 'json', of: ({ events }) => events },
  },
  { name: 'insert_events', computed: { written_at: 'world_now()' } },
);

/** The most characters of events in a row. Reading one event reads its whole row, so long events get short rows. */
const rowLength = 256 * 1024;

/** The events that a batch emitted for a partner, and the number of the partner's last event before them. */
export interface NewEvents {
  after: number;
  at: Instant;
  emitted: readonly EmittedEvent[];
}

/** Inserts the events and moves the heads. */
export const insertEvents = (all: ReadonlyMap<number, NewEvents>): Statement[] => [
  moveEventHeads(new Map([...all].map(([clientId, { after, emitted }]) => [clientId, after + emitted.length]))),
  insert(new Map([...all].map(([clientId, events]) => [clientId, rowsOf(events)]))),
];

function rowsOf({ after, at, emitted }: NewEvents): EventRow[] {
  let first = after + 1;
  return inRows(emitted.map((one) => JSON.stringify(stored(one)))).map((texts) => {
    const row = { first, last: first + texts.length - 1, at, events: `[${texts.join(',')}]` };
    first += texts.length;
    return row;
  });
}

function inRows(texts: string[]): string[][] {
  const rows: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (length + text.length > rowLength) {
      rows.push([]);
      length = 0;
    }
    rows.at(-1)?.push(text);
    length += text.length;
  }
  return rows;
}

export function campaignIdOf(event: StoredEvent): string | null {
  if ('job' in event) return null;
  return 'freeBet' in event ? event.freeBet.campaignId : event.campaignId;
}

export function emittedOf(event: StoredEvent, campaigns: ReadonlyMap<string, Campaign>): EmittedEvent {
  if ('campaignId' in event) {
    const state = { ...newCampaignState(), ...event.state };
    return { type: event.type, campaign: definitionOf(event.campaignId, campaigns), state };
  }
  if ('job' in event) return { type: event.type, job: event.job };
  const { terms: own, campaignId } = event.freeBet;
  const terms = own === undefined ? definitionOf(campaignId, campaigns).terms : termsOfStored(own);
  const freeBet = { ...usual, ...event.freeBet, terms };
  if (!('bet' in event)) return { type: event.type, freeBet };
  const { winAmount } = event.bet;
  return { type: event.type, freeBet, bet: { ...event.bet, winAmount: winAmount === null ? null : BigInt(winAmount) } };
}

function definitionOf(campaignId: string | null, campaigns: ReadonlyMap<string, Campaign>): Campaign {
  const campaign = campaignId === null ? undefined : campaigns.get(campaignId);
  if (campaign === undefined) throw new Error(`campaign ${campaignId} has events and no definition`);
  return campaign;
}
