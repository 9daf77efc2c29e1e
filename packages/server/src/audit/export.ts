import type { AuditFilter } from '@freebets/contract';
import type { Pool } from 'pg';
import { ask } from '../engine/statement.ts';
import { formatInstant } from '../primitives/amounts.ts';
import { linksOf } from './links.ts';
import { type AuditQuery, type ChainFound, findChains, type LinkRow } from './sql.ts';

// Exports the audit log as lines of JSON that can be checked without the database: a first line with the chains, one
// line per record, chain by chain, and a last line that reveals a truncated file. Records are only added and never
// change, so reading page by page up to the initial length of each chain equals one snapshot, and no connection is held
// for a slow reader.

export const auditFormat = 'freebets audit 1';

export interface ExportHead {
  format: typeof auditFormat;
  exported_at: string;
  /** The filter of the request. Fields other than `client_id` leave records out. */
  filter: AuditFilter;
  /** Some records in between may be left out. */
  has_gaps: boolean;
  chains: { chain: number; length: number | null; last_hash: string | null }[];
}

export interface ExportedLink {
  chain: number;
  sequence: number;
  at: string;
  record: string;
  previous: string | null;
  hash: string;
}

export interface ExportEnd {
  records: number;
}

export async function* exportLines(pool: Pool, wanted: AuditQuery, filter: AuditFilter): AsyncGenerator<string> {
  const chains = await ask(pool, findChains(wanted.chains));
  yield lineOf(headOf(chains, wanted, filter));
  let records = 0;
  for (const { client_id: chain, length } of chains) {
    for await (const links of linksOf(pool, chain, length, wanted)) {
      records += links.length;
      yield links.map((link) => lineOf(exported(link))).join('');
    }
  }
  yield lineOf({ records } satisfies ExportEnd);
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

function headOf(chains: ChainFound[], wanted: AuditQuery, filter: AuditFilter): ExportHead {
  const { actor, action, target, from, until } = wanted;
  return {
    format: auditFormat,
    exported_at: new Date().toISOString(),
    filter,
    has_gaps: [actor, action, target, from, until].some((each) => each !== null),
    chains: chains.map(({ client_id: chain, length, last_hash }) => ({ chain, length, last_hash: hex(last_hash) })),
  };
}

const exported = ({ client_id: chain, sequence, at, record, previous, hash }: LinkRow): ExportedLink => ({
  chain,
  sequence,
  at: formatInstant(at),
  record,
  previous: hex(previous),
  hash: hash.toString('hex'),
});

const hex = (bytes: Buffer | null): string | null => bytes?.toString('hex') ?? null;
