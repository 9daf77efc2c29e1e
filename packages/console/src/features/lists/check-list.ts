import type { CampaignGetResponse, JobItem } from '@freebets/contract';
import type { CsvRow } from '@freebets/contract/csv';
import { isUuid } from '../../ui/address.ts';
import { type Alike, leftOf } from '../campaigns/cost.ts';
import { typedAmount } from '../drafts/draft-form.ts';
import { type Field, fieldsOf, type ListTable } from './list-table.ts';

// Checks every line before anything is sent. Reports invalid lines by number, and duplicates, which get two free bets.

export interface CheckedList {
  items: JobItem[];
  /** Invalid lines with their cells. */
  wrong: { line: number; problem: string; cells: string[] }[];
  /** Lines whose player is on an earlier line. */
  repeated: { line: number; playerId: string; before: number }[];
  /** The highest number of lines with the same player. */
  mostOfOne: number;
  /** Lines grouped by identical free bets. */
  alike: Map<string, Alike>;
}

export interface HowToCheck {
  /** The currencies of the campaign, or the common ones of all selected games. */
  currencies: string[];
  /** Whether the bulk award has its own terms. */
  isOwn: boolean;
  /** The currency for all players if the list has no such column. */
  currency: string | null;
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const longestPlayerId = 128;

type How = Pick<HowToCheck, 'currencies' | 'isOwn'>;

export function problemOf(item: Partial<JobItem>, { currencies, isOwn }: How): string | undefined {
  const { player_id = '', currency = '', issue_id, bet_amount = '1.00', quantity = 1 } = item;
  if (player_id === '') return 'player_id is missing';
  if (player_id !== player_id.trim()) return 'player_id starts or ends with a space';
  if ([...player_id].length > longestPlayerId) return `player_id is longer than ${longestPlayerId} characters`;
  if (unprintable.test(player_id)) return 'player_id contains an invisible character';
  if (currency === '') return 'currency is missing';
  if (!currencies.includes(currency)) {
    const named = currency.slice(0, 20);
    return isOwn ? `not all selected games support ${named}` : `the campaign has no stake in ${named}`;
  }
  if (!/^(?!0+\.00$)\d{1,13}\.\d\d$/.test(bet_amount)) return 'bet_amount is not an amount such as 5.00';
  if (quantity < 1 || quantity > 1000) return 'quantity is not a number from 1 to 1,000';
  if (issue_id !== undefined && !isUuid(issue_id)) return 'issue_id is not a UUID';
  return undefined;
}

/** Trims every cell except the player ID: quoted spaces can be part of it. */
function itemOf({ cells }: CsvRow, places: Map<Field, number>, currency: string | null): Partial<JobItem> {
  const cellOf = (field: Field): string | undefined => {
    const cell = cells[places.get(field) ?? -1] ?? '';
    return (field === 'player_id' ? cell : cell.trim()) || undefined;
  };
  const issueId = cellOf('issue_id');
  const [playerId, ownCurrency] = [cellOf('player_id'), cellOf('currency')];
  const [amount, quantity] = [cellOf('bet_amount'), cellOf('quantity')];
  return {
    ...(playerId !== undefined && { player_id: playerId }),
    ...((ownCurrency ?? currency) && { currency: (ownCurrency ?? currency) as string }),
    ...(issueId !== undefined && { issue_id: issueId }),
    ...(amount !== undefined && { bet_amount: typedAmount(amount) }),
    ...(quantity !== undefined && { quantity: /^\d+$/.test(quantity) ? Number(quantity) : 0 }),
  };
}

const rowsAtATime = 5000;
const pause = () => new Promise((resolve) => setTimeout(resolve));

export async function checkList(table: ListTable, how: HowToCheck, signal: AbortSignal): Promise<CheckedList> {
  const checked: CheckedList = { items: [], wrong: [], repeated: [], mostOfOne: 0, alike: new Map() };
  const places = new Map(fieldsOf(how.isOwn).map((field) => [field, table.columns.indexOf(field)]));
  const currency = table.columns.includes('currency') ? null : how.currency;
  const width = table.columns.length;
  const seen = new Map<string, { line: number; times: number }>();
  const issueIds = new Map<string, number>();
  const check = (row: CsvRow) => {
    const item = itemOf(row, places, currency);
    const fields = row.cells.length === width ? undefined : `${row.cells.length} cells instead of ${width}`;
    const issueId = item.issue_id?.toLowerCase();
    const before = issueId === undefined ? undefined : issueIds.get(issueId);
    const twice = before === undefined ? undefined : `issue_id is already on line ${before}`;
    const problem = fields ?? problemOf(item, how) ?? twice;
    if (problem !== undefined) {
      checked.wrong.push({ line: row.line, problem, cells: row.cells });
      return;
    }
    if (issueId !== undefined) issueIds.set(issueId, row.line);
    take(item as JobItem, row.line);
  };
  const take = (item: JobItem, line: number) => {
    checked.items.push(item);
    const { player_id: _, issue_id: __, ...gets } = item;
    const key = `${item.currency} ${item.bet_amount} ${item.quantity}`;
    checked.alike.set(key, { ...gets, players: (checked.alike.get(key)?.players ?? 0) + 1 });
    const earlier = seen.get(item.player_id);
    if (earlier !== undefined) checked.repeated.push({ line, playerId: item.player_id, before: earlier.line });
    const times = (earlier?.times ?? 0) + 1;
    checked.mostOfOne = Math.max(checked.mostOfOne, times);
    seen.set(item.player_id, { line: earlier?.line ?? line, times });
  };
  for (let at = 0; at < table.rows.length; at += rowsAtATime) {
    for (const row of table.rows.slice(at, at + rowsAtATime)) check(row);
    await pause();
    signal.throwIfAborted();
  }
  return checked;
}

/**
 * What a bulk award can issue within the caps of its campaign. It can be less if players already have free bets of the
 * campaign.
 */
export interface Promised {
  freeBets: number;
  /** Free bets that each cap will certainly refuse. */
  beyondPlayers: number;
  beyondCampaign: number;
  alike: Alike[];
}

type Campaign = Pick<CampaignGetResponse, 'config' | 'counts'> | null;

export function promisedOf(campaign: Campaign, checked: Pick<CheckedList, 'items' | 'alike' | 'mostOfOne'>): Promised {
  const { items, alike, mostOfOne } = checked;
  const perPlayer = campaign?.config.bonus_limit_per_user ?? null;
  const left = campaign === null ? null : leftOf(campaign);
  const ofPlayers =
    perPlayer === null || mostOfOne <= perPlayer
      ? { freeBets: items.length, alike: [...alike.values()] }
      : withinPlayerLimit(items, perPlayer);
  const freeBets = Math.min(ofPlayers.freeBets, left ?? Number.POSITIVE_INFINITY);
  return {
    ...ofPlayers,
    freeBets,
    beyondPlayers: items.length - ofPlayers.freeBets,
    beyondCampaign: ofPlayers.freeBets - freeBets,
  };
}

/**
 * The most free bets in each currency. Which of a player's free bets the cap refuses depends on the player's earlier
 * ones.
 */
function withinPlayerLimit(items: CheckedList['items'], perPlayer: number): Pick<Promised, 'freeBets' | 'alike'> {
  const given = new Map<string, number>();
  const takes = (key: string): boolean => {
    const before = given.get(key) ?? 0;
    if (before < perPlayer) given.set(key, before + 1);
    return before < perPlayer;
  };
  const players = new Map<string, number>();
  let freeBets = 0;
  for (const { player_id, currency } of items) {
    if (takes(player_id)) freeBets += 1;
    if (takes(`${player_id}\n${currency}`)) players.set(currency, (players.get(currency) ?? 0) + 1);
  }
  return { freeBets, alike: [...players].map(([currency, count]) => ({ currency, players: count })) };
}
