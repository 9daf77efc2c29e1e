import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Answer, call } from './caller.ts';
import { later, setClock } from './clock.ts';
import { inParallel } from './load.ts';
import { callAs, lantern } from './provider.ts';
import { campaign, directIssue, games } from './requests.ts';
import { assertCampaignAddsUp, assertFreeBetAddsUp } from './round-invariants.ts';

// Runs a race many times, in waves: many free bets at once, and for each of them requests that exclude each other,
// sent at the same moment to two servers. Every free bet must end in one of the allowed states.

export type Urls = readonly [string, string];

export interface Place {
  player_id: string;
  issueIds: string[];
  betIds: [string, string];
}

export type Ask = (url: string) => Promise<Answer>;

export interface Race {
  quantity: number;
  /** The number of free bets in one race; 1 by default. */
  freeBets?: number;
  before?: (place: Place) => Ask[];
  sides: (place: Place) => Ask[];
  /** By the responses of the sides, such as "200 620": the required state of each free bet, such as "in_use 0". */
  ends: Record<string, string[]>;
  also?: (place: Place, answers: Answer[]) => void;
  /** A request to send afterwards, and the response that it must get. */
  after?: (place: Place, answers: Answer[]) => [Ask, number][];
}

const codeOf = ({ status, body }: Answer): number => (status === 200 ? 200 : body.code);

export const bet =
  ({ player_id, issueIds, betIds }: Place, more: { bet?: number; issue?: number; coefficient?: string } = {}): Ask =>
  (url) => {
    const { bet: which = 0, issue = 0, ...rest } = more;
    const ids = { bet_id: betIds[which], issue_id: issueIds[issue] };
    return callAs(lantern, url, 'RoundsBet', { ...ids, player_id, game_id: games.one, ...rest });
  };
export const won =
  ({ betIds }: Place, which = 0): Ask =>
  (url) =>
    callAs(lantern, url, 'RoundsSettle', { bet_id: betIds[which], result: 'won', coefficient: '2.35' });
export const lost =
  ({ betIds }: Place, which = 0): Ask =>
  (url) =>
    callAs(lantern, url, 'RoundsSettle', { bet_id: betIds[which], result: 'lost' });
export const rollback =
  ({ betIds }: Place, which = 0): Ask =>
  (url) =>
    callAs(lantern, url, 'RoundsRollback', { bet_id: betIds[which] });
export const cancel =
  ({ issueIds }: Place): Ask =>
  (url) =>
    call(url, 'Cancel', { issue_id: issueIds[0] });

const listOf = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

export interface Wave {
  campaignId: string | null;
  places: Place[];
}

/** Free bets of a separate campaign, or of no campaign. */
async function newWave(urls: Urls, race: Race, size: number, terms: object, ofCampaign: boolean): Promise<Wave> {
  const player_id = `player-${randomUUID()}`;
  const campaignId = ofCampaign ? `wave-${randomUUID()}` : null;
  const { quantity } = race;
  if (campaignId !== null) {
    const created = await call(urls[0], 'CampaignCreate', campaign({ campaign_id: campaignId, quantity, ...terms }));
    assert.equal(created.status, 200, created.text);
  }
  const issue = (issue_id: string) =>
    campaignId === null
      ? directIssue({ player_id, issue_id, quantity, ...terms })
      : { campaign_id: campaignId, player_id, currency: 'EUR', issue_id };
  const places = listOf(size, (): Place => {
    return {
      player_id,
      issueIds: listOf(race.freeBets ?? 1, () => randomUUID()),
      betIds: [randomUUID(), randomUUID()],
    };
  });
  const items = places.flatMap(({ issueIds }) => issueIds.map(issue));
  const { body, text } = await call(urls[1], 'IssueBatch', { items });
  assert.ok(
    body.results.every((result: { error?: object }) => result.error === undefined),
    text,
  );
  return { campaignId, places };
}

/** The first requests for each free bet, before the race; all must succeed. */
async function prepare(urls: Urls, race: Race, { places }: Wave): Promise<void> {
  const asks = places.flatMap((place) => race.before?.(place) ?? []);
  const answers = await Promise.all(asks.map((ask, i) => ask(urls[i % 2] as string)));
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
}

const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** All sides of all races at the same moment, in any order. The servers alternate. */
async function sendAll(urls: Urls, race: Race, { places }: Wave): Promise<Answer[][]> {
  const answers: Answer[][] = places.map(() => []);
  const asked = places.flatMap((place, i) => race.sides(place).map((ask, side) => ({ ask, i, side })));
  const send = async ({ ask, i, side }: (typeof asked)[number]) => {
    (answers[i] as Answer[])[side] = await ask(urls[(i + side) % 2] as string);
  };
  await Promise.all(shuffled(asked).map(send));
  return answers;
}

/** The state of every free bet of the wave, read over HTTP. */
async function standings(urls: Urls, { places }: Wave): Promise<Map<string, string>> {
  const { player_id } = places[0] as Place;
  const { body } = await call(urls[0], 'FreeBetList', { player_id, limit: 200 });
  return new Map(
    body.free_bets.map((freeBet: { issue_id: string; status: string; remaining: number }) => [
      freeBet.issue_id,
      `${freeBet.status} ${freeBet.remaining}`,
    ]),
  );
}

export type Outcomes = Record<string, number>;

async function judgeWave(urls: Urls, race: Race, wave: Wave, all: Answer[][], outcomes: Outcomes) {
  const found = await standings(urls, wave);
  wave.places.forEach((place, i) => {
    const answers = all[i] as Answer[];
    const end = answers.map(codeOf).join(' ');
    const texts = answers.map(({ text }) => text).join('\n');
    const expected = race.ends[end];
    assert.ok(expected, `an end that is not allowed: ${end}\n${texts}`);
    const standing = place.issueIds.map((id) => found.get(id));
    assert.deepEqual(standing, expected, `after ${end}, free bets ${place.issueIds}`);
    race.also?.(place, answers);
    outcomes[end] = (outcomes[end] ?? 0) + 1;
  });
  // A part of the others is enough, because the rows are checked for all.
  const some = wave.places.flatMap((place, i) => (i % 5 === 0 ? [{ place, answers: all[i] as Answer[] }] : []));
  await inParallel(some, 10, async ({ place, answers }) => {
    for (const [ask, code] of race.after?.(place, answers) ?? []) {
      const answer = await ask(urls[1]);
      assert.equal(codeOf(answer), code, answer.text);
    }
    for (const id of place.issueIds) await assertFreeBetAddsUp(urls[1], id);
  });
  if (wave.campaignId !== null) await assertCampaignAddsUp(urls[0], wave.campaignId);
}

/** The least number of runs, and the most while one of the allowed ends has not occurred. */
export interface Repetitions {
  least: number;
  most: number;
}

const isEnough = ({ least, most }: Repetitions, done: number, { ends }: Race, outcomes: Outcomes): boolean =>
  done >= most || (done >= least && Object.keys(ends).every((end) => end in outcomes));

/** The number of times that each end occurred. */
export async function runRace(urls: Urls, race: Race, repetitions: Repetitions, terms: object): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const size = 50;
  for (let done = 0; !isEnough(repetitions, done, race, outcomes); done += size) {
    const wave = await newWave(urls, race, size, terms, (done / size) % 2 === 0);
    await prepare(urls, race, wave);
    await judgeWave(urls, race, wave, await sendAll(urls, race, wave), outcomes);
  }
  return outcomes;
}

let minutes = 0;

/**
 * Runs the race this many times, while the clock reaches the instant at which the free bets expire, and the next
 * instant.
 */
export async function runAgainstExpiry(
  urls: Urls,
  sql: pg.Pool,
  race: Race,
  repetitions: Repetitions,
): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const size = 50;
  for (let done = 0; !isEnough(repetitions, done, race, outcomes); done += size) {
    minutes += 1;
    const end = later('2031-05-01T00:00:00.000Z', minutes * 60_000);
    await setClock(sql, later(end, -1000));
    const wave = await newWave(urls, race, size, { valid_until: end }, (done / size) % 2 === 0);
    await prepare(urls, race, wave);
    await setClock(sql, later(end, -1));
    const answers = sendAll(urls, race, wave);
    await delay(Math.random() * 30);
    await setClock(sql, end);
    if (minutes % 3 === 0) await setClock(sql, later(end, 1));
    await judgeWave(urls, race, wave, await answers, outcomes);
  }
  return outcomes;
}
