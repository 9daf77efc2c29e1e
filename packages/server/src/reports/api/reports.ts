import {
  type ActivityGetRequest,
  ClientId,
  type FieldError,
  mostOfEach,
  type ReportExportRequest,
} from '@freebets/contract';
import { csvMark, csvRow } from '@freebets/contract/csv';
import type { Pool } from 'pg';
import { change } from '../../audit/change.ts';
import type { Handlers, StaffCall } from '../../calls/call.ts';
import { isA, readValues, writeValues } from '../../calls/cursor.ts';
import { type FileServices, fileInTurn, inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { ask } from '../../engine/statement.ts';
import { measures } from '../../events/activity/sql.ts';
import { formatMoney, type Instant, parseBound } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { reachBody, selectionFor } from '../choice.ts';
import { type CatalogueNames, namedColumns, nameRows } from '../names.ts';
import {
  type ReportRow,
  type ReportWanted,
  readReach,
  readReport,
  reportColumns,
  streamReport,
} from '../sql/reports.ts';
import { badTimeZone, knowsZone, resolveZone } from '../time-zone.ts';

// Activity reports. A request without a partner gets the sums over all partners in scope, either real ones or
// sandboxes.

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A month or a year is up to two hours longer if clocks are set back. */
const longest = { hour: 32 * dayMs, day: 367 * dayMs + 2 * hourMs };
const longestText = { hour: '32 days', day: '367 days' };
/** A month of hours in 13 currencies. */
const maxPoints = 10_000;

type Selection = Omit<ReportExportRequest, 'by'> | Omit<ActivityGetRequest, 'by'>;
type By = ReportWanted['by'];

interface ActivityServices extends ReportServices, FileServices {
  catalogue(): CatalogueNames;
}

async function parseSelection(
  { person, services }: StaffCall<ReportServices>,
  body: Selection,
  by: By,
): Promise<Outcome<ReportWanted>> {
  const { client_id, sandboxes = false, campaign_id, currency = null, time_zone = 'UTC' } = body;
  const [from, until] = [parseBound(body.from), parseBound(body.until)];
  const kind = by.includes('hour') ? 'hour' : 'day';
  if (until - from > longest[kind]) {
    return refuse('invalid_request', [{ field: 'until', reason: `must be at most ${longestText[kind]} after from` }]);
  }
  const timeZone = await resolveZone(time_zone, knowsZone(services.consolePool));
  if (timeZone === undefined) return badTimeZone;
  const campaignId = campaign_id === undefined ? null : (campaign_id ?? '');
  return done({ ...selectionFor(person, client_id, sandboxes), campaignId, currency, from, until, timeZone, by });
}

/** Requests with `most` have no pages. */
const errorsWithMost = (limit: number, cursor: string | undefined): FieldError[] => [
  ...(limit > mostOfEach ? [{ field: 'limit', reason: `must be at most ${mostOfEach} with most` }] : []),
  ...(cursor === undefined ? [] : [{ field: 'cursor', reason: 'must not be there with most' }]),
];

const kinds = {
  int: isA<number>(ClientId),
  text: (key: unknown): key is string => typeof key === 'string' && !key.includes('\0'),
};

const measuresBody = ({ issued, cancelled, expired, bets, settled, staked, won }: ReportRow['sums']) => ({
  ...{ issued: Number(issued), cancelled: Number(cancelled), expired: Number(expired) },
  ...{ bets: Number(bets), settled: Number(settled) },
  ...{ staked: formatMoney(staked), won: formatMoney(won) },
});

export const reportHandlers: Handlers<'ActivityGet' | 'ReportGet' | 'ReportExport', ActivityServices> = {
  async ActivityGet(call, { by, ...selection }) {
    const wanted = await parseSelection(call, selection, [by]);
    if (!wanted.ok) return wanted;
    const { reach, ...found } = await reachAndPage(call, wanted.value, { limit: maxPoints, after: null, most: null });
    if (found.isMore) {
      const reason = `must be nearer to from: there are more than ${maxPoints} points`;
      return refuse('invalid_request', [{ field: 'until', reason }]);
    }
    const series = found.rows.map(({ keys: [at, currency], sums }) => ({
      at: String(at),
      currency: String(currency),
      ...measuresBody(sums),
    }));
    return done({ series, ...reach });
  },

  async ReportGet(call, { by, most = null, limit = 100, cursor, ...selection }) {
    const wrong = most === null ? [] : errorsWithMost(limit, cursor);
    if (wrong.length > 0) return refuse('invalid_request', wrong);
    const wanted = await parseSelection(call, selection, by);
    if (!wanted.ok) return wanted;
    const keyKinds = reportColumns(by).map(({ type }) => kinds[type]);
    const after = cursor === undefined ? null : readValues<string | number>(cursor, keyKinds);
    const { reach, rows, totals, isMore } = await reachAndPage(call, wanted.value, { limit, after, most });
    const { consolePool, catalogue } = call.services;
    const about = await nameRows(consolePool, catalogue(), wanted.value, rows);
    const columns = namedColumns(by);
    const last = rows.at(-1);
    return done({
      rows: rows.map((row, i) => ({
        ...Object.fromEntries(columns.map((column, at) => [column, about[i]?.[at] ?? null])),
        currency: currencyOf(by, row),
        ...measuresBody(row.sums),
      })),
      totals: totals.map(({ currency, sums }) => ({ currency, ...measuresBody(sums) })),
      next_cursor: isMore && last ? writeValues(last.keys) : null,
      ...reach,
    });
  },

  async ReportExport(call, body) {
    const wanted = await parseSelection(call, body, body.by);
    if (!wanted.ok) return wanted;
    const { client_id: clientId } = body;
    const { from, until, timeZone } = wanted.value;
    const name = `report-${dayIn(timeZone, from)}-${dayIn(timeZone, until - 1)}.csv`;
    return fileInTurn(call, name, async (pool) => {
      const reach = reachBody(await ask(pool, readReach(wanted.value)));
      await change({ pool: call.services.consolePool, by: call.by }, async () => ({
        answer: undefined,
        ...(clientId !== undefined && { clientId }),
        changed: { target: { kind: 'report', id: body.by.join(',') }, before: null, after: { ...body, ...reach } },
      }));
      return csvOf(pool, call.services.catalogue(), wanted.value);
    });
  },
};

/** For example 2027-01-31. */
const dayIn = (timeZone: string, at: Instant): string => new Date(at).toLocaleDateString('sv-SE', { timeZone });

const reachAndPage = (call: StaffCall<ReportServices>, wanted: ReportWanted, page: Parameters<typeof readReport>[1]) =>
  inReportTurn(call, async (pool) => ({
    reach: reachBody(await ask(pool, readReach(wanted))),
    ...(await ask(pool, readReport(wanted, page))),
  }));

const currencyOf = (by: By, { keys }: ReportRow): string =>
  String(keys[reportColumns(by).findIndex(({ column }) => column === 'currency')]);

/** Reads the rows while sending them. */
async function* csvOf(pool: Pool, catalogue: CatalogueNames, wanted: ReportWanted): AsyncGenerator<string> {
  yield csvMark + csvRow([...namedColumns(wanted.by), ...measures]);
  yield* streamReport(pool, wanted, async (connection, rows) => {
    const about = await nameRows(connection, catalogue, wanted, rows);
    return rows.map(({ sums }, i) => csvRow([...(about[i] ?? []), ...Object.values(measuresBody(sums))])).join('');
  });
}
