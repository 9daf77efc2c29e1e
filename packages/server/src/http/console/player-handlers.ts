import { isValid, PlayerId } from '@freebets/contract';
import { ask } from '../../db/statement.ts';
import { formatInstant, formatMoney } from '../../domain/amounts.ts';
import { done } from '../../domain/outcome.ts';
import { mostOfPlayer, type PlayerTotalsRow, readPlayerTotals, searchPlayers } from '../../sql/players.ts';
import { badCursor, readIdCursor, writeIdCursor } from '../cursor.ts';
import type { StaffHandlers } from './call.ts';
import { inReportTurn } from './report-turns.ts';

const totalsBody = ({ last_issued_at: _, walked: __, staked, won, ...counts }: PlayerTotalsRow) => ({
  ...counts,
  staked: formatMoney(BigInt(staked)),
  won: formatMoney(BigInt(won)),
});

export const playerHandlers: StaffHandlers<'PlayerSearch' | 'PlayerGet'> = {
  async PlayerSearch({ services: { consolePool } }, { client_id, prefix, limit = 20, cursor }) {
    const after = cursor === undefined ? null : readIdCursor(cursor, (id) => isValid(PlayerId, id));
    if (after === undefined) return badCursor;
    // One more than wanted tells whether there is a next page.
    const found = await ask(consolePool, searchPlayers(client_id, { prefix, after, limit: limit + 1 }));
    const shown = found.slice(0, limit);
    const next = found.length > limit ? (shown.at(-1)?.player_id ?? null) : null;
    return done({
      players: shown.map(({ player_id, last_issued_at }) => ({
        player_id,
        last_issued_at: formatInstant(last_issued_at),
      })),
      next_cursor: writeIdCursor(next),
    });
  },

  async PlayerGet(call, { client_id, player_id }) {
    const rows = await inReportTurn(call, (pool) => ask(pool, readPlayerTotals(client_id, player_id)));
    const last = Math.max(...rows.map((row) => row.last_issued_at));
    return done({
      player_id,
      last_issued_at: rows.length === 0 ? null : formatInstant(last),
      totals: rows.map(totalsBody),
      is_whole: (rows[0]?.walked ?? 0) <= mostOfPlayer,
    });
  },
};
