import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { findCampaignNames, findPartnerNames } from './sql/names.ts';
import { type ReportRow, type ReportWanted, reportColumns } from './sql/reports.ts';

// Adds names to the ids in reports, because ids mean nothing to readers.

export interface CatalogueNames {
  games: readonly { id: string; title: string }[];
  providerOf(providerId: string): { name: string } | undefined;
}

const nameColumns: Record<string, string> = {
  client_id: 'partner_name',
  campaign_id: 'campaign_name',
  game_id: 'game_title',
  provider_id: 'provider_name',
};

type By = ReportWanted['by'];

/** The columns of a row, with the name after each id. */
export const namedColumns = (by: By): string[] =>
  reportColumns(by).flatMap(({ column }) => [column, nameColumns[column] ?? []].flat());

type Cells = (string | number | null)[];
type NameOf = (id: string | number, row: ReportRow) => string | null;

/** The ids and names of the rows in the order of `namedColumns`; null if there is no id or no unique name. */
export async function nameRows(
  connection: Connection,
  catalogue: CatalogueNames,
  wanted: ReportWanted,
  rows: ReportRow[],
): Promise<Cells[]> {
  const columns = reportColumns(wanted.by).map(({ column }) => column);
  const valuesOf = (column: (typeof columns)[number]) => rows.map(({ keys }) => keys[columns.indexOf(column)] ?? '');
  const makers: Record<string, () => Promise<NameOf>> = {
    client_id: async () =>
      byId(await ask(connection, findPartnerNames(valuesOf('client_id').map(Number))), 'client_id'),
    campaign_id: () => campaignNames(connection, wanted, valuesOf('campaign_id').map(String)),
    game_id: async () => {
      const titles = new Map(catalogue.games.map(({ id, title }) => [id, title]));
      return (id) => titles.get(String(id)) ?? null;
    },
    provider_id: async () => (id) => catalogue.providerOf(String(id))?.name ?? null,
  };
  const names = await Promise.all(columns.map((column) => makers[column]?.()));
  return rows.map((row) =>
    row.keys.flatMap((key, i): Cells => {
      const shown = key === '' ? null : key;
      const nameOf = names[i];
      return nameOf ? [shown, shown === null ? null : nameOf(shown, row)] : [shown];
    }),
  );
}

function byId<Row extends { name: string }>(found: Row[], key: keyof Row): NameOf {
  const names = new Map(found.map((row) => [row[key] as unknown, row.name]));
  return (id) => names.get(id) ?? null;
}

/**
 * If rows are not by partner, several partners may have a campaign with the same id; it is named if all names are
 * equal.
 */
async function campaignNames(connection: Connection, wanted: ReportWanted, ids: string[]): Promise<NameOf> {
  const found = Map.groupBy(
    await ask(connection, findCampaignNames(wanted, [...new Set(ids)])),
    ({ campaign_id }) => campaign_id,
  );
  const partnerAt = reportColumns(wanted.by).findIndex(({ column }) => column === 'client_id');
  return (id, { keys }) => {
    const alike = found.get(String(id)) ?? [];
    const meant = partnerAt < 0 ? alike : alike.filter(({ client_id }) => client_id === keys[partnerAt]);
    const names = new Set(meant.map(({ name }) => name));
    return names.size === 1 ? (meant[0]?.name ?? null) : null;
  };
}
