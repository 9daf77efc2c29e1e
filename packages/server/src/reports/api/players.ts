import { PlayerId } from '@freebets/contract';
import type { Handlers } from '../../calls/call.ts';
import { cursorsOf, isA } from '../../calls/cursor.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { ask } from '../../engine/statement.ts';
import { inOneSnapshot } from '../../engine/transaction.ts';
import { formatInstant, formatMoney } from '../../primitives/amounts.ts';
import { done } from '../../primitives/outcome.ts';
import { type CancellationRow, readCancellations } from '../../promo/free-bets/sql.ts';
import { type BetInRound, betBody } from '../../promo/rounds/bet.ts';
import { listBetsOfFreeBets } from '../../promo/rounds/sql.ts';
import {
  maxFreeBetsRead,
  type PlayerRow,
  type PlayerTotalsRow,
  readPlayerTotals,
  searchPlayers,
} from '../sql/players.ts';

const totalsBody = ({ last_issued_at: _, walked: __, staked, won, ...counts }: PlayerTotalsRow) => ({
  ...counts,
  staked: formatMoney(BigInt(staked)),
  won: formatMoney(BigInt(won)),
});

const cursors = cursorsOf({ player_id: isA<string>(PlayerId) });
const maxSimilar = 5;

/** The index orders ids by bytes, so each spelling of a prefix is a separate lookup. */
function otherCases(prefix: string): string[] {
  const [lower, upper] = [prefix.toLowerCase(), prefix.toUpperCase()];
  const [first = ''] = upper;
  return [...new Set([lower, upper, first + lower.slice(first.length)])].filter((each) => each !== prefix);
}

const foundBody = ({ player_id, last_issued_at }: PlayerRow) => ({
  player_id,
  last_issued_at: formatInstant(last_issued_at),
});

export const playerHandlers: Handlers<'PlayerSearch' | 'PlayerGet' | 'FreeBetStories', ReportServices> = {
  async PlayerSearch({ services: { consolePool } }, { client_id, prefix, limit = 20, cursor }) {
    const after = cursors.read(cursor)?.player_id ?? null;
    // One extra row shows whether there is a next page.
    const reading = searchPlayers(client_id, { prefix, after, limit: limit + 1 });
    const others = after === null ? otherCases(prefix) : [];
    const readingOthers = others.map((other) => searchPlayers(client_id, { prefix: other, after, limit: maxSimilar }));
    const answers = await inOneSnapshot(consolePool, [reading, ...readingOthers]);
    const found = answers.of(reading);
    const shown = found.slice(0, limit);
    const next = found.length > limit ? (shown.at(-1) ?? null) : null;
    const similar = found[0]?.player_id === prefix ? [] : readingOthers.flatMap((each) => answers.of(each));
    return done({
      players: shown.map(foundBody),
      similar: similar.slice(0, maxSimilar).map(foundBody),
      next_cursor: cursors.write(next),
    });
  },

  async PlayerGet(call, { client_id, player_id }) {
    const rows = await inReportTurn(call, (pool) => ask(pool, readPlayerTotals(client_id, player_id)));
    const last = Math.max(...rows.map((row) => row.last_issued_at));
    return done({
      player_id,
      last_issued_at: rows.length === 0 ? null : formatInstant(last),
      totals: rows.map(totalsBody),
      is_whole: (rows[0]?.walked ?? 0) <= maxFreeBetsRead,
    });
  },

  async FreeBetStories({ services: { consolePool } }, { client_id, issue_ids }) {
    const ids = [...new Set(issue_ids)];
    const reading = { bets: listBetsOfFreeBets(client_id, ids), ends: readCancellations(client_id, ids) };
    const found = await inOneSnapshot(consolePool, Object.values(reading));
    const bets = Map.groupBy(found.of(reading.bets), ({ bet }) => bet.issueId);
    const ends = new Map(found.of(reading.ends).map((row) => [row.issue_id, row]));
    return done({
      stories: ids.flatMap((id) => {
        const end = ends.get(id);
        return end === undefined ? [] : [storyBody(end, bets.get(id) ?? [])];
      }),
    });
  },
};

const storyBody = ({ issue_id, cancelled_at, email, reason }: CancellationRow, bets: BetInRound[]) => ({
  issue_id,
  bets: bets.flatMap(({ bet, freeBet }) => (freeBet === null ? [] : [betBody(bet, freeBet)])),
  cancellation: cancelled_at === null ? null : { at: formatInstant(cancelled_at), by: email, reason },
});
