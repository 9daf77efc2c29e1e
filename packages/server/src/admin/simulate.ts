import { setTimeout as delay } from 'node:timers/promises';
import { FreebetsError } from '@freebets/client';
import { demoPartners } from '../demo/demo.ts';
import type { Config } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { type Arguments, command, type Terminal } from './command.ts';
import { demoForbidden, errorMessage, partnerAt, providerAt, serverUrl } from './server-calls.ts';
import { type Act, nextAct, roundsToEnd, type Simulation, simulatedPartner } from './simulated-players.ts';

// Generates demo traffic over HTTP, one action at a time and at a readable pace, as partners, providers and players
// would.

interface SimulateOptions {
  url?: string | undefined;
  players: string;
  rate: string;
  minutes?: string | undefined;
}

interface Pace {
  /** The average number of acts per second. */
  perSecond: number;
  endMs: number;
  stopped: AbortSignal;
}

interface Summary {
  seconds: number;
  acts: number;
  refused: number;
  campaigns: number;
  issued: number;
  bets: number;
  won: number;
  lost: number;
  rolled_back: number;
  cancelled: number;
}

const demoOnly = 'simulate works on the demo data only';

function numberOf(option: string, text: string, form: RegExp, max: number): number {
  const number = Number(text);
  if (form.test(text) && number > 0 && number <= max) return number;
  const kind = form === whole ? 'a whole number from 1 to' : 'a number above 0 and at most';
  throw new Failure(`--${option} must be ${kind} ${max}.`);
}

const whole = /^\d{1,6}$/;
const decimal = /^\d{1,6}(\.\d{1,3})?$/;

async function run(config: Config, { options }: Arguments<[], SimulateOptions>, terminal: Terminal): Promise<Summary> {
  const players = numberOf('players', options.players, whole, 100_000);
  const perSecond = numberOf('rate', options.rate, decimal, 1000);
  const minutes = numberOf('minutes', options.minutes ?? '100000', decimal, 100_000);
  const url = await serverUrl(config, options.url);
  const isJson = options.json === true;
  const write = (act: Act | Refused) => terminal.stdout.write(`${isJson ? JSON.stringify(act) : lineOf(act)}\n`);
  try {
    const simulation = await connect(url, players);
    if (!isJson) terminal.stdout.write(`${introduction(simulation, url, options.minutes)}\n`);
    const pace = { perSecond, endMs: performance.now() + minutes * 60_000, stopped: terminal.stopSignal() };
    return await runActs(simulation, pace, write);
  } catch (error) {
    if (!(error instanceof FreebetsError)) throw error;
    throw new Failure(errorMessage(error, url, demoForbidden(url, demoOnly)));
  }
}

/** Requires the first demo partner. The others are optional. */
async function connect(url: string, players: number): Promise<Simulation> {
  const partners: Simulation['partners'] = [];
  for (const partner of demoPartners) {
    const client = partnerAt(url, partner);
    try {
      partners.push(simulatedPartner(client, await client.games.list()));
    } catch (error) {
      if (partners.length === 0 || !isRefusal(error)) throw error;
    }
  }
  const withGames = partners.filter(({ games }) => games.length > 0);
  if (withGames.length === 0) throw new Failure(`The demo partners are not offered any demo game: ${demoOnly}.`);
  const providers = new Map<string, ReturnType<typeof providerAt>>();
  const providerOf: Simulation['providerOf'] = (game) =>
    providers.getOrInsertComputed(game.providerId, () => providerAt(url, game));
  return { partners: withGames, players, providerOf };
}

function introduction({ partners, players }: Simulation, url: string, minutes: string | undefined): string {
  const who = partners.map(({ client }) => client.clientId).join(' and ');
  const end = minutes === undefined ? 'Press Ctrl-C to stop.' : `It ends after ${minutes} min, or with Ctrl-C.`;
  return `${players} players of partner ${who} at ${url}. ${end}\n`;
}

interface Refused {
  did: 'refused';
  why: string;
}

const isRefusal = (error: unknown): error is FreebetsError => error instanceof FreebetsError && !error.isRetryable;

async function runActs(simulation: Simulation, pace: Pace, write: (act: Act | Refused) => void): Promise<Summary> {
  const counts = { campaign: 0, issued: 0, bet: 0, won: 0, lost: 0, rolled_back: 0, cancelled: 0, refused: 0 };
  const record = (act: Act | Refused) => {
    counts[act.did] += 1;
    write(act);
  };
  const beganMs = performance.now();
  for await (const _ of ticks(pace)) record(await nextAct(simulation).catch(refusedOr));
  // Ends open rounds.
  for (const end of roundsToEnd(simulation)) record(await end().catch(refusedOr));
  const { campaign: campaigns, bet: bets, refused, ...others } = counts;
  const acts = Object.values(counts).reduce((sum, count) => sum + count) - refused;
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  return { seconds, acts, refused, campaigns, bets, ...others };
}

/** Expects refusals, but not a failed call or a wrong secret. */
function refusedOr(error: unknown): Refused {
  if (!isRefusal(error) || error.name === 'forbidden') throw error;
  return { did: 'refused', why: error.message };
}

/** The period of the rate, which rises and falls like the traffic of an evening. Pauses are random. */
const waveMs = 90_000;

async function* ticks({ perSecond, endMs, stopped }: Pace): AsyncGenerator<void> {
  let nextMs = performance.now();
  while (!stopped.aborted && performance.now() < endMs) {
    yield;
    const wave = 1 + 0.6 * Math.sin((performance.now() / waveMs) * 2 * Math.PI);
    // Does not catch up on a backlog.
    nextMs = Math.max(nextMs, performance.now() - 1000) + (2 * Math.random() * 1000) / (perSecond * wave);
    const waitMs = Math.min(nextMs, endMs) - performance.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal: stopped }).catch(() => {});
  }
}

function lineOf(act: Act | Refused): string {
  if (act.did === 'refused') return `${clock()}  refused: ${act.why}`;
  return `${clock()}  partner ${act.client_id}  ${(act.player_id ?? '').padEnd(12)}  ${whatOf(act)}`;
}

const clock = (): string => new Date().toTimeString().slice(0, 8);

function whatOf({ did, quantity, amount, currency, campaign, game_id, coefficient }: Act): string {
  const money = `${amount} ${currency}`;
  switch (did) {
    case 'campaign':
      return `starts the campaign ${campaign}`;
    case 'issued':
      return `gets ${quantity} × ${money} for ${campaign ?? game_id}`;
    case 'bet':
      return `bets ${money} in ${game_id}`;
    case 'won':
      return `wins ${money} at ${coefficient}`;
    case 'lost':
      return `loses ${money}`;
    case 'rolled_back':
      return `gets ${money} back: the round was rolled back`;
    case 'cancelled':
      return `loses ${quantity} × ${money}: the free bet was cancelled`;
  }
}

export const simulate = command({
  run,
  show: ({ seconds, acts, refused, campaigns, issued, bets, won, lost, rolled_back, cancelled }) =>
    `\n${acts} acts in ${seconds} s: ${campaigns} campaigns, ${issued} free bets, ${cancelled} cancelled; ` +
    `${bets} bets, ${won} won, ${lost} lost, ${rolled_back} rolled back. Refused: ${refused}.`,
});
