import { type AuditFilter, isTimestamp } from '@freebets/contract';
import type { ChainReport } from '../audit/chain-check.ts';
import { change } from '../audit/change.ts';
import { exportLines } from '../audit/export.ts';
import { auditQueryOf } from '../audit/query.ts';
import { findOwners, noPartner } from '../audit/sql.ts';
import { verifyChains } from '../audit/verify.ts';
import { NotAnExport, verifyLines } from '../audit/verify-file.ts';
import { ask } from '../engine/statement.ts';
import type { Config } from '../ops/config.ts';
import { withDatabase } from '../ops/database.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, parseClientId, type WithReason } from './changes.ts';
import { type Arguments, command, type Terminal, writeAll } from './command.ts';
import { readTextFile, writeWhole } from './files.ts';

// Verifies the audit log, and exports it so that a third party can keep a copy.

const chainOf = (text: string): number => (text === String(noPartner) ? noPartner : parseClientId(text));

interface Verified {
  is_whole: boolean;
  /** Set for a file that was exported with a filter. */
  has_gaps?: boolean;
  exported_at?: string;
  problems: string[];
  chains: ChainReport[];
}

export const verify = command({
  async run(config, { options: { client, file } }: Arguments<[], { client?: string; file?: string }>) {
    const chains = client === undefined ? null : [chainOf(client)];
    const found = file === undefined ? await verifyDatabase(config, chains) : await verifyFile(file, chains);
    const isWhole = found.problems.length === 0 && found.chains.every(({ break_count }) => break_count === 0);
    return { is_whole: isWhole, ...found } satisfies Verified;
  },
  show: (verified: Verified) =>
    [...verified.chains.flatMap(chainLines), ...verified.problems.map(sentence), conclusion(verified)].join('\n'),
  exitCode: ({ is_whole }) => (is_whole ? 0 : 1),
});

const verifyDatabase = (config: Config, chains: number[] | null) =>
  withDatabase(
    config,
    async ({ pool }) => {
      const reports = await verifyChains(pool, chains);
      if (reports.length === 0) throw noSuchPartner(chains);
      return { problems: [], chains: reports };
    },
    { anyMasterKey: true },
  );

const noSuchPartner = (chains: number[] | null): Failure => new Failure(`There is no partner ${chains}.`);

async function verifyFile(file: string, chains: number[] | null) {
  const report = await verifyLines(linesOf(file)).catch((error: unknown) => {
    throw error instanceof NotAnExport ? new Failure(`${file}, line ${error.line}: ${error.message}.`) : error;
  });
  const found = report.chains.filter(({ chain }) => chains === null || chains.includes(chain));
  if (chains !== null && found.length === 0) throw new Failure(`${file} has no chain ${chains}.`);
  return { ...report, chains: found };
}

/** Yields lines without their line feeds. Splits at line feeds only: a record may hold any other character. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of readTextFile(path).chunks) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`;

function chainLines({ chain, length, links, last_hash, break_count, breaks }: ChainReport): string[] {
  const whose = chain === noPartner ? 'Records without a partner' : `Partner ${chain}`;
  const unseen = break_count - breaks.length;
  return [
    `${whose}: ${links} of ${length} records checked; last hash ${last_hash ?? 'none'}`,
    ...breaks.map(({ sequence, through, message }) => {
      const place = sequence === through ? `${sequence}` : `${sequence} to ${through}`;
      return `  chain ${chain}, ${place}: ${message}`;
    }),
    ...(unseen > 0 ? [`  and ${unseen} more`] : []),
  ];
}

function conclusion({ is_whole, has_gaps }: Verified): string {
  if (!is_whole) return 'The audit log is broken.';
  if (has_gaps) {
    return 'All records in the file are genuine. The file was exported with a filter, so missing records cannot be detected.';
  }
  return 'The audit log is intact.';
}

interface ExportOptions extends WithReason {
  client?: string;
  from?: string;
  until?: string;
  file?: string;
}

export const exportRecord = command({
  run(config, { options: { client, file, from, until, reason } }: Arguments<[], ExportOptions>, terminal: Terminal) {
    for (const time of [from, until]) {
      if (time !== undefined && !isTimestamp(time)) {
        throw new Failure('The time must be in UTC: --from 2027-01-31T12:00:00Z.');
      }
    }
    if (from !== undefined && until !== undefined && Date.parse(from) >= Date.parse(until)) {
      throw new Failure('--from must be before --until.');
    }
    const chain = client === undefined ? null : chainOf(client);
    const filter: AuditFilter = {
      ...(chain !== null && { client_id: chain === noPartner ? null : chain }),
      ...(from !== undefined && { from }),
      ...(until !== undefined && { until }),
    };
    const by = cliAttribution('AuditExport', { reason });
    const stopped = terminal.stopSignal();
    return withDatabase(config, async ({ pool }) => {
      if (chain !== null && (await ask(pool, findOwners([chain]))).length === 0) throw noSuchPartner([chain]);
      await change({ pool, by }, async () => ({
        answer: undefined,
        ...(filter.client_id != null && { clientId: filter.client_id }),
        changed: { target: { kind: 'audit', id: '' }, before: null, after: { filter } },
      }));
      const lines = exportLines(pool, auditQueryOf(filter, chain === null ? null : [chain]), filter);
      if (file === undefined) return writeAll(terminal, lines, stopped);
      await writeWhole(file, lines, stopped);
      return { file };
    });
  },
  show: (written) => (written === undefined ? '' : `The audit log is in ${written.file}.`),
});
