import type { Pool } from 'pg';
import { rebuildActivity } from '../events/activity/rebuild.ts';
import type { Difference } from '../events/activity/sql.ts';
import { verifyActivity } from '../events/activity/verify.ts';
import type { Config } from '../ops/config.ts';
import { wholeHistoryTimeoutMs, withDatabase } from '../ops/database.ts';
import { listPartners } from '../partners/callers/sql/partners.ts';
import { formatMoney, timeText } from '../primitives/amounts.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, parseClientId, type WithReason } from './changes.ts';
import { type Arguments, command, table } from './command.ts';

type PartnerArguments = Arguments<[], { client?: string }>;

/** Runs `work` for the partner in --client, or for all partners in turn. */
async function forPartners<T extends object>(
  config: Config,
  { options: { client } }: PartnerArguments,
  work: (pool: Pool, clientId: number) => Promise<T>,
): Promise<({ client_id: number } & T)[]> {
  const only = client === undefined ? undefined : parseClientId(client);
  const workOnAll = async (pool: Pool) => {
    const known = (await listPartners(pool)).map(({ client_id }) => client_id);
    if (only !== undefined && !known.includes(only)) throw new Failure(`There is no partner ${only}.`);
    const all = only === undefined ? known : [only];
    const results: ({ client_id: number } & T)[] = [];
    for (const clientId of all) results.push({ client_id: clientId, ...(await work(pool, clientId)) });
    return results;
  };
  return withDatabase(config, ({ pool }) => workOnAll(pool), { timeoutMs: wholeHistoryTimeoutMs });
}

/** A difference with money formatted as in API responses. */
const shown = ({ hour, campaignId, currency, gameId, providerId, measure, counted, inRows }: Difference) => {
  const written = (value: bigint) => (measure === 'staked' || measure === 'won' ? moneyOf(value) : String(value));
  return {
    hour: timeText(hour),
    ...{ campaign_id: campaignId || null, currency, game_id: gameId || null, provider_id: providerId || null },
    ...{ measure, counted: written(counted), in_rows: written(inRows) },
  };
};

const moneyOf = (cents: bigint): string => (cents < 0n ? `-${formatMoney(-cents)}` : formatMoney(cents));

export const verify = command({
  run: (config, args: PartnerArguments) =>
    forPartners(config, args, async (pool, clientId) => {
      const { through, differences } = await verifyActivity(pool, clientId);
      return { through, differences: differences.map(shown) };
    }),
  show: (partners) => {
    const wrong = partners.filter(({ differences }) => differences.length > 0);
    if (wrong.length === 0) {
      return `The activity counts of ${counted(partners.length)} match the free bets and bets exactly.`;
    }
    const rows = wrong.flatMap(({ client_id, differences }) =>
      differences.map((each) => [
        ...[String(client_id), each.hour ?? ''],
        ...[each.campaign_id ?? '', each.currency, each.game_id ?? '', each.provider_id ?? ''],
        ...[each.measure, each.counted, each.in_rows],
      ]),
    );
    return [
      table(['CLIENT_ID', 'HOUR', 'CAMPAIGN', 'CURRENCY', 'GAME', 'PROVIDER', 'WHAT', 'COUNTED', 'IN ROWS'], rows),
      `The activity counts of ${counted(wrong.length)} do not match the rows. Rebuild them with: freebets report rebuild`,
    ].join('\n');
  },
  exitCode: (partners) => (partners.some(({ differences }) => differences.length > 0) ? 1 : 0),
});

const counted = (partners: number): string => `${partners} partner${partners === 1 ? '' : 's'}`;

export const rebuild = command({
  run: (config, args: Arguments<[], { client?: string } & WithReason>) => {
    const by = cliAttribution('ReportRebuild', args.options);
    return forPartners(config, args, (pool, clientId) => rebuildActivity({ pool, by }, clientId));
  },
  show: (partners) =>
    partners
      .map(({ client_id, from, through }) =>
        from === 'feed'
          ? `Partner ${client_id}: counts rebuilt from events up to number ${through}.`
          : `Partner ${client_id}: counts rebuilt from free bets and bets, as of event ${through}, because older events are removed. Expired free bets count in the hour in which they expired.`,
      )
      .join('\n'),
});
