import { isDeepStrictEqual } from 'node:util';
import { type ChangeContext, change, type Done, Refused, requireUnchanged } from '../../audit/change.ts';
import type { Changed } from '../../audit/entry.ts';
import type { Connection } from '../../engine/connection.ts';
import { lockPartner, partnerExists } from '../../partners/callers/sql/partners.ts';
import { timeText } from '../../primitives/amounts.ts';
import { findEventTypes } from '../feed/sql/events.ts';
import { readWebhookUrl } from './request.ts';
import { turnWebhookOff as storeOff } from './sql/courier.ts';
import { type DeliveryState, findDeliveries, resendEvents } from './sql/deliveries.ts';
import {
  lockWebhook,
  type RemovedDeliveries,
  readWebhook,
  removeWebhook as removeStored,
  saveWebhook,
  type Webhook,
} from './sql/webhooks.ts';

// Changes of webhooks by staff. They lock the row of the partner, which serialises changes, and then the row of the
// webhook, which its courier also locks.

/** The next event to send, apart from events that are due for a retry. */
export const nextOf = ({ attempted_through, oldest_kept }: Webhook): number =>
  Math.max(attempted_through + 1, oldest_kept);

/** The fields of a webhook that the audit log stores. */
const recordOf = (webhook: Webhook) => ({
  url: webhook.url,
  set_at: timeText(webhook.set_at),
  off_at: timeText(webhook.off_at),
  off_reason: webhook.off_reason,
  next_sequence: nextOf(webhook),
});

const changedOf = (before: object | null, after: object): Changed | null =>
  isDeepStrictEqual(before, after) ? null : { target: { kind: 'webhook', id: '' }, before, after };

/** Throws if the partner has no webhook. */
export async function webhookOf(connection: Connection, clientId: number): Promise<Webhook> {
  const webhook = await readWebhook(connection, clientId);
  if (webhook !== undefined) return webhook;
  throw new Refused((await partnerExists(connection, clientId)) ? 'webhook_not_found' : 'partner_not_found');
}

/** Locks the webhook until the transaction ends; undefined if there is none. */
export async function heldWebhook(connection: Connection, clientId: number): Promise<Webhook | undefined> {
  if (!(await lockPartner(connection, clientId))) throw new Refused('partner_not_found');
  await lockWebhook(connection, clientId);
  return readWebhook(connection, clientId);
}

/** The state of the webhook that the caller read. The URL is null if there was none. */
export interface WebhookRead {
  url: string | null;
  off_at: string | null;
}

const currentState = (webhook: Webhook | undefined): WebhookRead => ({
  url: webhook?.url ?? null,
  off_at: timeText(webhook?.off_at ?? null),
});

/** Changes an existing webhook. */
const changeWebhook = <T>(
  context: ChangeContext,
  clientId: number,
  work: (connection: Connection, before: Webhook) => Promise<Done<T>>,
  asRead?: Partial<WebhookRead>,
): Promise<T> =>
  change(context, async (connection) => {
    const before = await heldWebhook(connection, clientId);
    if (before === undefined) throw new Refused('webhook_not_found');
    requireUnchanged(asRead, currentState(before));
    return { clientId, ...(await work(connection, before)) };
  });

/** Throws if the URL is not allowed. */
export function checkedUrl(text: string, arePrivateAllowed: boolean): string {
  const read = readWebhookUrl(text, arePrivateAllowed);
  if ('url' in read) return read.url;
  throw new Refused('invalid_request', [{ field: 'url', reason: read.wrong }]);
}

/**
 * Sets the URL and starts at the event `from`. With null, an existing webhook continues where it stopped, and a new one
 * starts at the next event.
 */
export async function setWebhookWithin(
  connection: Connection,
  clientId: number,
  url: string,
  from: number | null,
  asRead?: Partial<WebhookRead>,
): Promise<Done<Webhook>> {
  const before = await heldWebhook(connection, clientId);
  requireUnchanged(asRead, currentState(before));
  await saveWebhook(connection, clientId, url, from);
  const webhook = await webhookOf(connection, clientId);
  // Otherwise events that have not happened yet would be skipped silently.
  const latest = webhook.last_sequence + 1;
  if (from !== null && from > latest) {
    const reason = `there is no event ${from} yet: from can be ${latest} at most`;
    throw new Refused('invalid_request', [{ field: 'from', reason }]);
  }
  return { answer: webhook, clientId, changed: changedOf(before ? recordOf(before) : null, recordOf(webhook)) };
}

export const setWebhook = (
  context: ChangeContext,
  clientId: number,
  url: string,
  from: number | null,
  asRead?: Partial<WebhookRead>,
): Promise<Webhook> => change(context, (connection) => setWebhookWithin(connection, clientId, url, from, asRead));

export async function turnOffWithin(
  connection: Connection,
  clientId: number,
  before: Webhook,
  reason: string,
): Promise<Done<Webhook>> {
  await storeOff(connection, clientId, reason);
  const webhook = await webhookOf(connection, clientId);
  return { answer: webhook, clientId, changed: changedOf(recordOf(before), recordOf(webhook)) };
}

/** The webhook's events wait until it is set again. */
export const turnWebhookOff = (
  context: ChangeContext,
  clientId: number,
  asRead?: Partial<WebhookRead>,
): Promise<Webhook> =>
  changeWebhook(
    context,
    clientId,
    (connection, before) => turnOffWithin(connection, clientId, before, 'by hand'),
    asRead,
  );

export const removeWebhook = (
  context: ChangeContext,
  clientId: number,
  asRead?: Partial<WebhookRead>,
): Promise<RemovedDeliveries & { url: string }> =>
  changeWebhook(
    context,
    clientId,
    async (connection, before) => {
      const dropped = await removeStored(connection, clientId);
      return { answer: { url: before.url, ...dropped }, changed: changedOf(recordOf(before), { dropped }) };
    },
    asRead,
  );

/** Selects events by number, or all that match the filters. */
export interface Selection {
  sequences?: readonly number[] | undefined;
  from?: number | undefined;
  to?: number | undefined;
  state?: DeliveryState | undefined;
  type?: string | undefined;
}

export interface Resent {
  matched: number;
  webhook: Webhook;
}

/** The maximum number of events per request of the console. */
export const maxResent = 10_000;

/** The maximum number of sequence numbers in one audit record. */
const maxRecorded = 100;

/** How many deliveries are searched for those of a type, in all and per query. */
const maxWalked = 100_000;
const walkPageSize = 10_000;

/** Throws if too many match. Events that are no longer kept, or not attempted yet, do not match. */
async function matchingDeliveries(
  connection: Connection,
  clientId: number,
  { oldest_kept, attempted_through }: Webhook,
  { sequences, state, type, ...range }: Selection,
  max: number,
): Promise<number[]> {
  const from = Math.max(range.from ?? 1, oldest_kept);
  const to = Math.min(range.to ?? attempted_through, attempted_through);
  const ofType = async (found: number[]): Promise<number[]> => {
    if (type === undefined) return found;
    const types = await findEventTypes(connection, clientId, found);
    return found.filter((sequence) => types.get(sequence)?.type === type);
  };
  if (sequences !== undefined) return ofType(sequences.filter((each) => each >= from && each <= to));
  const read = async (latest: number, limit: number | null): Promise<number[]> => {
    const wanted = { state: state ?? null, from, to: latest, limit };
    return (await findDeliveries(connection, clientId, wanted)).map(({ sequence }) => sequence);
  };
  if (type !== undefined) return walk(read, ofType, to, max);
  const found = await read(to, Number.isFinite(max) ? max + 1 : null);
  return atMost(max, found);
}

/** Searches from the latest event back to the start of the range. */
async function walk(
  read: (latest: number, limit: number) => Promise<number[]>,
  ofType: (found: number[]) => Promise<number[]>,
  to: number,
  max: number,
): Promise<number[]> {
  const matched: number[] = [];
  let latest = to;
  for (let walked = 0; walked < maxWalked; walked += walkPageSize) {
    const found = await read(latest, walkPageSize);
    matched.push(...(await ofType(found)));
    atMost(max, matched);
    const oldest = found.at(-1);
    if (oldest === undefined || found.length < walkPageSize) return matched;
    latest = oldest - 1;
  }
  throw tooMany(`more than ${maxWalked} events would have to be searched`);
}

function atMost(max: number, matched: number[]): number[] {
  if (matched.length > max) throw tooMany(`more than ${max} events match`);
  return matched;
}

const tooMany = (what: string): Refused =>
  new Refused('invalid_request', [{ field: 'from', reason: `${what}: choose fewer, by from and to` }]);

/** Counts without changing anything. */
export async function countMatching(connection: Connection, clientId: number, selection: Selection): Promise<Resent> {
  const webhook = await webhookOf(connection, clientId);
  return { matched: (await matchingDeliveries(connection, clientId, webhook, selection, maxResent)).length, webhook };
}

export const resend = (
  context: ChangeContext,
  clientId: number,
  selection: Selection,
  max = maxResent,
): Promise<Resent> =>
  changeWebhook(context, clientId, async (connection, webhook) => {
    const sequences = await matchingDeliveries(connection, clientId, webhook, selection, max);
    const matched = await resendEvents(connection, clientId, sequences);
    const { sequences: given, ...filter } = selection;
    const named = given && { sequences: given.slice(0, maxRecorded) };
    const changed = matched === 0 ? null : changedOf(null, { ...filter, ...named, resent: matched });
    return { answer: { matched, webhook }, changed };
  });
