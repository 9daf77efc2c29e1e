import assert from 'node:assert/strict';
import { collectionOf, type Least, type Operation, openApi, operations, staffOperations } from '@freebets/contract';
import { leavesOf, usageOf } from '../../packages/server/src/admin/command.ts';
import { buildProgram } from '../../packages/server/src/admin/program.ts';
import { envExample, settings } from '../../packages/server/src/ops/config.ts';
import { createMetrics } from '../../packages/server/src/ops/metrics.ts';
import { processesGauge } from '../../packages/server/src/ops/processes/processes.ts';
import { migrations } from '../../packages/server/src/ops/schema/migrations.ts';
import { formatMoney, parseCoefficient, parseMoney, winOf } from '../../packages/server/src/primitives/amounts.ts';
import { textTerminal } from '../support/server.ts';
import { clientMethods } from './client-methods.ts';
import { clientAnswers, clientOperations, clientRequests, clientThings, methodOf } from './client-operations.ts';
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
  registry.registerMetric(processesGauge());
  const all = await registry.getMetricsAsJSON();
  const rows = all
    .filter(({ name }) => name.startsWith('freebets_'))
    .map(({ name, type, help }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { labelNames?: string[] };
      return [`\`${name}\``, String(type), labelNames.map((label) => `\`${label}\``).join(', '), help];
    });
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

/** The topics of the settings. */
const settingTopics: Record<string, (keyof typeof settings)[]> = {
  'Address and processes': ['HOST', 'PORT', 'PUBLIC_URL', 'INTERNAL_PORT', 'TRUSTED_PROXIES', 'PROCESSES', 'DRAIN_MS'],
  Database: ['DATABASE_URL', 'DATABASE_CONNECTIONS', 'DATABASE_DIRECT', 'DATA_DIR', 'ALLOW_UNSAFE_DATABASE'],
  Secrets: ['SECRETS_KEY'],
  'Rates of callers': ['RATE_LIMIT', 'RATE_BURST', 'ITEM_RATE_LIMIT', 'ITEM_RATE_BURST'],
  'Connections, memory and queues': [
    'REQUEST_DEADLINE_MS',
    'CALLER_TIMEOUT_MS',
    'MAX_CONNECTIONS',
    'BODIES_MIB',
    'ANSWERS_MIB',
    'LANE_BATCH',
    'LANE_QUEUE',
    'READ_QUEUE',
  ],
  'Background work': ['WORKER', 'SWEEP_BATCH', 'SWEEP_PAUSE_MS', 'JOB_QUOTA', 'JOB_QUOTA_MIB'],
  'Webhooks and events': [
    'WEBHOOK_ALLOW_PRIVATE',
    'WEBHOOK_CONNECTIONS',
    'WEBHOOK_TIMEOUT_MS',
    'WEBHOOK_RETRIES_S',
    'EVENTS_KEPT_DAYS',
  ],
  Staff: [
    'SESSION_IDLE_MIN',
    'SESSION_HOURS',
    'STAFF_MFA',
    'STAFF_CONFIRMATION',
    'APPROVAL_LIMITS',
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
  ],
  Log: ['LOG_LEVEL'],
};

function settingsTables(): string {
  const known = Object.values(settingTopics).flat().sort();
  assert.deepEqual(known, Object.keys(settings).sort(), 'every setting has one topic');
  return Object.entries(settingTopics)
    .map(([topic, names]) => {
      const rows = names.map((name) => {
        const { about, byDefault } = settings[name];
        return [`\`${name}\``, byDefault === '' ? '' : `\`${byDefault}\``, about];
      });
      return `\n## ${topic}\n\n${table(['setting', 'default', 'meaning'], rows)}`;
    })
    .join('');
}

/** The topics of the commands, with their first words. */
const commandTopics: Record<string, string[]> = {
  'Server and database': ['serve', 'migrate', 'keys'],
  'Partners, game providers and games': ['client', 'provider', 'catalogue'],
  'Staff and audit log': ['staff', 'audit'],
  'Bulk jobs and reports': ['job', 'report'],
  'Demo data and tests': ['demo', 'play', 'simulate', 'listen', 'check'],
  Shell: ['completion'],
};

function commandsTables(): string {
  const leaves = leavesOf(buildProgram(textTerminal({}).terminal));
  const firstWord = (command: (typeof leaves)[number]) => usageOf(command).split(' ')[0] ?? '';
  const known = Object.values(commandTopics).flat();
  const missing = leaves.map(firstWord).filter((word) => !known.includes(word));
  if (missing.length > 0) throw new Error(`no topic has the command ${missing[0]}`);
  return Object.entries(commandTopics)
    .map(([topic, words]) => {
      const rows = leaves
        .filter((command) => words.includes(firstWord(command)))
        .map((command) => [`\`${cell(usageOf(command))}\``, cell(command.description())]);
      return `\n## ${topic}\n\n${table(['command', 'effect'], rows)}`;
    })
    .join('');
}

/** Why an older server must not run on a database after these migrations. */
const incompatibilities: Record<string, string> = {
  '0002_rounds.sql': 'Reads all free bets to build totals and an index. The service must be stopped.',
  '0003_events.sql': 'Older servers would change data without emitting events. Adds tables only.',
  '0007_sandbox.sql': 'Older servers would use real time for sandboxes.',
  '0008_campaign_changes.sql':
    'Older servers would ignore pauses and changed limits. Builds two indexes over free bets and unsettled bets.',
  '0009_jobs.sql': 'Older servers can’t read the events of jobs. Adds tables only.',
  '0018_routed_statements.sql': 'Older servers would not mark partners that have background work.',
  '0019_stake_returned_in_terms.sql':
    'Older servers would pay by the current setting of the partner. Rewrites the unsettled direct free bets of partners whose stake is returned: 200,000 of 1,000,000 took 39 s.',
  '0020_confirmations.sql': 'Older servers would skip the confirmation by a second admin.',
  '0025_one_lock_for_each_partner.sql': 'Older servers lock rows in another order. Drops a small table.',
};

/** The first migration creates the schema, so no server is older. */
function incompatibleMigrationsTable(): string {
  const incompatible = migrations.slice(1).filter(({ sql }) => !sql.startsWith('-- compatible'));
  const rows = incompatible.map(({ name }) => {
    const reason = incompatibilities[name];
    if (reason === undefined) throw new Error(`add the reason why ${name} is not compatible`);
    return [`\`${name}\``, reason];
  });
  return table(['migration', 'reason and effect'], rows);
}

/** Which method of the client calls which operation. */
function methodsTable(): string {
  const rows = Object.values(operations).map(({ path, caller }) => {
    const who = caller === 'client_id' ? 'partner' : 'provider';
    return [`\`${who}.${methodOf(path).join('.')}\``, `\`${path}\``];
  });
  return table(['method', 'operation'], rows);
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
  { file: 'docs/reference/settings.md', name: 'settings', make: settingsTables },
  { file: 'docs/reference/metrics.md', name: 'metrics', make: metricsTable },
  { file: 'docs/reference/commands.md', name: 'commands', make: commandsTables },
  { file: 'docs/operate/upgrade.md', name: 'incompatible migrations', make: incompatibleMigrationsTable },
  { file: 'docs/clients/typescript.md', name: 'methods', make: methodsTable },
];

/** The collection for the demo server. A server returns its own at `/docs/collection.json`. */
function demoCollection(): string {
  const url = 'http://127.0.0.1:8080';
  return `${JSON.stringify(collectionOf(openApi(url, ''), url), null, 2)}\n`;
}

/** Files that follow from the code as a whole. */
export const wholeFiles = [
  { file: 'clients/collection/freebets.postman_collection.json', make: demoCollection },
  { file: '.env.example', make: envExample },
  { file: 'packages/client/src/operations.ts', make: clientOperations },
  { file: 'packages/client/src/things.ts', make: clientThings },
  { file: 'packages/client/src/requests.ts', make: clientRequests },
  { file: 'packages/client/src/answers.ts', make: clientAnswers },
  { file: 'packages/client/src/partner-methods.ts', make: clientMethods('client_id') },
  { file: 'packages/client/src/provider-methods.ts', make: clientMethods('provider_id') },
  ...phpFiles,
  ...Object.entries(pythonFiles()).map(([path, text]) => ({
    file: `clients/python/src/freebets/${path}`,
    make: () => text,
  })),
];

export const tableIn = (file: string, name: string): string | undefined => marked(readDocument(file), name);

export const withTable = async ({ file, name, make }: (typeof tables)[number]): Promise<string> =>
  withMarked(readDocument(file), name, await make());
