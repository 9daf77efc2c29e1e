import { randomUUIDv7 } from 'node:crypto';
import { named, type Statement } from '../../../engine/statement.ts';
import { formatInstant, type Instant } from '../../../primitives/amounts.ts';
import { type Campaign, type CampaignState, newCampaignState } from '../../campaigns/campaign.ts';
import type { FreeBetSnapshot } from '../../free-bets/free-bet.ts';
import { type StoredTerms, termsOfStored } from '../../free-bets/sql.ts';
import type { JobSnapshot } from '../../jobs/job.ts';
import type { BetSnapshot } from '../../rounds/bet.ts';
import type { BetEvent, CampaignEvent, EmittedEvent, FreeBetEvent, JobEvent } from '../event.ts';

// Writes the events of a batch as one row. Moving the event head gives them their numbers and keeps the head locked.
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

const insertBehind = (name: string, head: string, now: string) =>
  named(
    name,
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events, written_at)
     SELECT h.client_id, h.last_sequence - $2::bigint + 1, h.last_sequence - $2::bigint + $3::bigint, $4::timestamptz, $5::json, ${now}
     FROM ${head} h WHERE h.client_id = $1`,
  );

const insert = insertBehind('insert_events', 'event_heads', 'world_now()');
/**
 * Only combined with the statement that moves the head, and not on a cluster. Reads the time after its wait for the
 * head.
 */
const insertTogether = insertBehind('insert_events_with_head', 'move_event_head', 'service_now()');

const insertNumbered = named(
  'insert_numbered_events',
  `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events, written_at)
   VALUES ($1, $2, $3, $4, $5::json, world_now())`,
);

/** The most characters of events in a row. Reading one event reads its whole row, so long events get short rows. */
const rowLength = 256 * 1024;

/**
 * How the event head is moved: in an earlier statement, in the statement that inserts the events, or already, to this
 * number.
 */
export type Head = 'moved' | 'moving' | number;

/** If the head is `moving`, the first statement must be combined with the one that moves the head. */
export function insertEvents(
  clientId: number,
  now: Instant,
  emitted: readonly EmittedEvent[],
  head: Head,
): Statement[] {
  let left = emitted.length;
  return inRows(emitted.map((one) => JSON.stringify(stored(one)))).map((texts, i) => {
    const fromHere = left;
    left -= texts.length;
    const content = [formatInstant(now), `[${texts.join(',')}]`];
    if (typeof head === 'number') return insertNumbered([clientId, head - fromHere + 1, head - left, ...content]);
    const isTogether = head === 'moving' && i === 0;
    return (isTogether ? insertTogether : insert)([clientId, fromHere, texts.length, ...content]);
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
