import type pg from 'pg';
import { inTransaction } from '../../packages/server/src/engine/transaction.ts';
import { announceChange, recordChange } from '../../packages/server/src/partners/reference/sql.ts';
import { accepted } from './answers.ts';
import { call, demo, rival } from './caller.ts';
import { campaign } from './requests.ts';
import { until } from './waiting.ts';

/** Changes the partner's setting, and returns when all servers have loaded it. */
export async function returnStake(
  sql: pg.Pool,
  urls: readonly string[],
  clientId: number,
  stakeReturned: boolean,
): Promise<void> {
  const isChanged = await inTransaction(sql, async (connection) => {
    const { rowCount } = await connection.query(
      'UPDATE partners SET stake_returned = $2 WHERE client_id = $1 AND stake_returned <> $2',
      [clientId, stakeReturned],
    );
    if (rowCount === 0) return false;
    await recordChange(connection, await announceChange(connection), clientId);
    return true;
  });
  if (!isChanged) return;
  const partner = clientId === rival.clientId ? rival : demo;
  for (const url of urls) {
    await until('the server knows the setting', 5000, async () => {
      const tried = campaign({
        ...{ dry_run: true, valid_until: '2099-01-01T00:00:00Z' },
        config: { bonus_limit: 1, max_coefficient: '1.00' },
      });
      const { max_exposure } = accepted('CampaignCreate', await call(url, 'CampaignCreate', tried, partner));
      return (max_exposure[0].amount !== '0.00') === stakeReturned;
    });
  }
}
