import type { AuditFilter, AuditRecord } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Handlers } from '../calls/call.ts';
import { cursorsOf, isCount, isInstant, isSequence } from '../calls/cursor.ts';
import { type FileServices, fileInTurn, inReportTurn, type ReportServices } from '../calls/report-turns.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import { ask } from '../engine/statement.ts';
import { findMemberId } from '../people/sql/administration.ts';
import { formatInstant } from '../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import type { ChainReport } from './chain-check.ts';
import { change } from './change.ts';
import { exportLines } from './export.ts';
import { auditQueryOf } from './query.ts';
import { type AuditKey, type AuditRow, listAudit, noPartner } from './sql.ts';
import { verifyChains } from './verify.ts';

// The audit log. A reader sees the chains of the partners in their scope. The chain without a partner needs all
// partners.

const cursors = cursorsOf<AuditKey>({ at: isInstant, clientId: isCount, sequence: isSequence });

export const auditHandlers: Handlers<'AuditList' | 'AuditExport' | 'AuditVerify', ReportServices & FileServices> = {
  async AuditList({ services, person }, { limit = 50, cursor, ...filter }) {
    const chains = chainsOf(person, filter.client_id);
    if (!chains.ok) return chains;
    const after = cursors.read(cursor);
    const wanted = auditQueryOf(await byId(services.consolePool, filter), chains.value);
    const { rows, next } = await ask(services.consolePool, listAudit(wanted, limit, after));
    return done({ records: rows.map(recordBody), next_cursor: cursors.write(next) });
  },

  async AuditExport(call, filter) {
    const chains = chainsOf(call.person, filter.client_id);
    if (!chains.ok) return chains;
    return fileInTurn(call, 'audit.ndjson', async (pool) => {
      await change({ pool: call.services.consolePool, by: call.by }, async () => ({
        answer: undefined,
        ...(filter.client_id != null && { clientId: filter.client_id }),
        changed: { target: { kind: 'audit', id: '' }, before: null, after: { filter } },
      }));
      return exportLines(pool, auditQueryOf(await byId(pool, filter), chains.value), filter);
    });
  },

  async AuditVerify(call, { client_id }) {
    const chains = chainsOf(call.person, client_id);
    if (!chains.ok) return chains;
    const reports = await inReportTurn(call, (pool) => verifyChains(pool, chains.value));
    return done({ is_whole: reports.every((report) => report.break_count === 0), chains: reports.map(chainBody) });
  },
};

/** Records name actors by id, so an e-mail address is looked up. An unknown address matches no record. */
async function byId(pool: Pool, filter: AuditFilter): Promise<AuditFilter> {
  const { actor } = filter;
  if (!actor?.includes('@')) return filter;
  return { ...filter, actor: (await ask(pool, findMemberId(actor))) ?? actor };
}

/** The chains that the reader may see; null means all. */
function chainsOf(person: SignedIn | undefined, clientId: number | null | undefined): Outcome<number[] | null> {
  const scope = person?.partners ?? null;
  if (clientId === undefined) return done(scope);
  if (clientId === null) return scope === null ? done([noPartner]) : refuse('partner_not_found');
  return done([clientId]);
}

const partnerOf = (chain: number): number | null => (chain === noPartner ? null : chain);

function recordBody({ client_id, sequence, at, record, hash }: AuditRow): AuditRecord {
  const place = { client_id: partnerOf(client_id), sequence, at: formatInstant(at), hash: hash.toString('hex') };
  return { ...place, ...JSON.parse(record) };
}

const chainBody = ({ chain, length, last_hash, break_count, breaks }: ChainReport) => ({
  client_id: partnerOf(chain),
  length,
  last_hash,
  break_count,
  breaks,
});
