import { type Least, type Operation, operations, staffOperations } from '@freebets/contract';
import { leavesOf, usageOf } from '../../packages/server/src/admin/command.ts';
import { buildProgram } from '../../packages/server/src/admin/program.ts';
import { envExample, settingsTable } from '../../packages/server/src/ops/config.ts';
import { createMetrics } from '../../packages/server/src/ops/metrics.ts';
import { formatMoney, parseCoefficient, parseMoney, winOf } from '../../packages/server/src/primitives/amounts.ts';
import { textTerminal } from '../support/server.ts';
import {
  clientAnswers,
  clientMethods,
  clientOperations,
  clientRequests,
  clientThings,
  methodOf,
} from './client-operations.ts';
import { errorReference } from './error-help.ts';
import { marked, readDocument, withMarked } from './markdown.ts';
import { phpFiles } from './php-client.ts';
import { pythonFiles } from './python-client.ts';

// The parts of the docs that the code already says. They are made here from the code; a test holds the docs equal, and
// write-tables.ts puts them there.

const cell = (text: string) => text.replaceAll('|', '\\|');
const row = (cells: string[]) => `| ${cells.join(' | ')} |\n`;

const table = (head: string[], rows: string[][]): string =>
  [row(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(row)].join('');

const bets = [
  { amount: '1.00', asked: '2.35' },
  { amount: '2.50', asked: '2.10' },
  { amount: '0.33', asked: '1.25' },
  { amount: '10.00', asked: '1.2345' },
  { amount: '1.00', asked: '1' },
  { amount: '1.00', asked: '7.50, with a maximum of 5.00', applied: '5.00' },
];

function winningsTable(): string {
  const rows = bets.map(({ amount, asked, applied = asked }) => {
    const win = (stakeReturned: boolean) =>
      formatMoney(winOf(parseMoney(amount), parseCoefficient(applied), stakeReturned));
    return [amount, asked, win(false), win(true)];
  });
  return table(['amount', 'coefficient', '`win_amount`', 'with `stake_returned`'], rows);
}

async function metricsTable(): Promise<string> {
  const measured = {
    laneDepth: () => 0,
    laneOldestMs: () => 0,
    pools: () => ({}),
    isDatabaseUp: () => true,
    databaseRefusals: () => new Map(),
    backlog: async () => ({ waiting: 0, oldest_s: 0 }),
    failedJobs: async () => 0,
    activityLag: async () => 0,
    logLinesDropped: () => 0,
  };
  const { registry } = createMetrics(measured, { namesPartners: true });
  const all = await registry.getMetricsAsJSON();
  const rows = all
    .filter(({ name }) => name.startsWith('freebets_'))
    .map(({ name, type, help }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { labelNames?: string[] };
      return [`\`${name}\``, String(type), labelNames.map((label) => `\`${label}\``).join(', '), help];
    });
  return table(['metric', 'kind', 'labels', 'what it tells'], rows);
}

function commandsTable(): string {
  const program = buildProgram(textTerminal({}).terminal);
  return table(
    ['command', 'what it does'],
    leavesOf(program).map((command) => [`\`${cell(usageOf(command))}\``, cell(command.description())]),
  );
}

/** Which method of the client calls which operation. */
function methodsTable(): string {
  const rows = Object.values(operations).map(({ path, caller, summary }) => {
    const who = caller === 'client_id' ? 'partner' : 'provider';
    return [`\`${who}.${methodOf(path).join('.')}\``, `\`${path}\``, summary];
  });
  return table(['method', 'operation', 'what it does'], rows);
}

/** Everything that staff may call, with the least role and whether it asks for the reason. */
function staffOperationsTable(): string {
  const roleOf = (least: Least) => (least === 'anybody' ? 'anybody' : least.map((role) => `\`${role}\``).join(' or '));
  const ofPartners = Object.values<Operation & { staff: Least | null; changes: boolean }>(operations)
    .filter(({ staff }) => staff !== null)
    .map((each) =>
      each.staffDryRunOnly
        ? {
            ...each,
            changes: false,
            summary: `${each.summary}: only a dry run; staff create campaigns with drafts`,
          }
        : each,
    );
  const all: { path: string; staff: Least | null; changes: boolean; summary: string }[] = [
    ...Object.values(staffOperations),
    ...ofPartners,
  ];
  return table(
    ['operation', 'least role', 'needs a reason', 'what it does'],
    all.map(({ path, staff, changes, summary }) => [
      `\`${path}\``,
      roleOf(staff ?? []),
      changes ? 'yes' : '',
      cell(summary),
    ]),
  );
}

export const tables = [
  { file: 'docs/reference/errors.md', name: 'errors', make: errorReference },
  { file: 'docs/providers/rounds.md', name: 'winnings', make: winningsTable },
  { file: 'docs/reference/staff-operations.md', name: 'staff operations', make: staffOperationsTable },
  { file: 'docs/operations.md', name: 'settings', make: settingsTable },
  { file: 'docs/operations.md', name: 'metrics', make: metricsTable },
  { file: 'docs/operations.md', name: 'commands', make: commandsTable },
  { file: 'docs/sdk.md', name: 'methods', make: methodsTable },
];

/** Files that follow from the code as a whole. */
export const wholeFiles = [
  { file: '.env.example', make: envExample },
  { file: 'packages/client/src/operations.ts', make: clientOperations },
  { file: 'packages/client/src/things.ts', make: clientThings },
  { file: 'packages/client/src/requests.ts', make: clientRequests },
  { file: 'packages/client/src/answers.ts', make: clientAnswers },
  { file: 'packages/client/src/methods.ts', make: clientMethods },
  ...phpFiles,
  ...Object.entries(pythonFiles()).map(([path, text]) => ({
    file: `clients/python/src/freebets/${path}`,
    make: () => text,
  })),
];

export const tableIn = (file: string, name: string): string | undefined => marked(readDocument(file), name);

export const withTable = async ({ file, name, make }: (typeof tables)[number]): Promise<string> =>
  withMarked(readDocument(file), name, await make());
