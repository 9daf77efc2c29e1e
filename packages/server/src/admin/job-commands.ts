import type { JobStatus } from '@freebets/contract';
import type { Command } from 'commander';
import { oneOf, type ToAction, value } from './command.ts';
import type { ListFormat } from './job-list.ts';

/** Options for the server to call and the partner to call it as, shared by all job commands. */
const calling = (command: Command): Command =>
  command
    .option('--client <CLIENT_ID>', 'Partner.', value, '1')
    .option(
      '--secret-file <FILE>',
      "File with the partner's secret (default: the secret in the local database, or of the demo partner).",
      value,
    )
    .option('--url <URL>', 'Server address (default: the server that uses DATA_DIR).', value)
    .option('--reason <TEXT>', 'Reason for the audit log, if the secret comes from the database.', value);

const listFormats = Object.keys({ csv: 1, ndjson: 1 } satisfies Record<ListFormat, 1>);
const jobStatuses = Object.keys({
  open: 1,
  scheduled: 1,
  running: 1,
  finished: 1,
  failed: 1,
  stopped: 1,
} satisfies Record<JobStatus, 1>);

export function declareJob(job: Command, toAction: ToAction): void {
  const handlers = () => import('./job.ts');
  declareIssue(calling(job.command('issue')), toAction);
  calling(job.command('list'))
    .description('List the jobs of a partner, newest first.')
    .addOption(oneOf('--status <STATUS>', jobStatuses, 'List only jobs with this status.'))
    .option('--limit <COUNT>', 'Largest number of rows, at most 1,000 (default: 50).', value)
    .action(toAction(async () => (await handlers()).list));
  calling(job.command('show <JOB_ID>'))
    .description('Show the progress of a job.')
    .action(toAction(async () => (await handlers()).show));
  calling(job.command('retry <JOB_ID>'))
    .description('Retry a failed job from the item at which it failed.')
    .action(toAction(async () => (await handlers()).retry));
  calling(job.command('stop <JOB_ID>'))
    .description('Stop a job for good. Free bets that are already issued stay.')
    .action(toAction(async () => (await handlers()).stop));
  calling(job.command('refusals <JOB_ID>'))
    .description('Print the refused items of a job as CSV, or as NDJSON with --json.')
    .option('--file <FILE>', 'Output file: NDJSON if the name ends in .ndjson or .jsonl, otherwise CSV.', value)
    .action(toAction(async () => (await handlers()).refusals));
}

function declareIssue(issue: Command, toAction: ToAction): void {
  issue
    .description(
      'Issue free bets to the players in a file, from a campaign or directly. Checks every line before it sends anything. If you repeat the command, it continues where it stopped. Exits with 3 if some items were refused.',
    )
    .requiredOption(
      '--file <FILE>',
      'CSV with the columns player_id and currency, and optionally issue_id, bet_amount and quantity; or NDJSON with these fields.',
      value,
    )
    .addOption(oneOf('--format <FORMAT>', listFormats, 'File format (default: from the file name).'))
    .option('--currency <CODE>', 'Currency for every player if the file has no `currency` column.', value)
    .option('--ignore-columns', 'Ignore unknown columns.')
    .option('--campaign <CAMPAIGN_ID>', 'Campaign to issue from.', value)
    .option('--bet-amount <AMOUNT>', 'Without a campaign: amount of each bet.', value)
    .option('--quantity <COUNT>', 'Without a campaign: number of bets per player.', value)
    .option('--games <GAME_ID,…>', 'Without a campaign: games, separated by commas.', value)
    .option('--valid-until <TIME>', 'Without a campaign: end of validity, such as 2027-01-31T12:00:00Z.', value)
    .option('--valid-from <TIME>', 'Without a campaign: start of validity.', value)
    .option('--duration-min <MINUTES>', 'Without a campaign: validity of each free bet in minutes.', value)
    .option('--min-coefficient <COEFFICIENT>', 'Without a campaign: lowest odds.', value)
    .option('--max-coefficient <COEFFICIENT>', 'Without a campaign: highest odds.', value)
    .option('--name <NAME>', 'Name of the job.', value)
    .option('--start-at <TIME>', 'Start time (default: now).', value)
    .option('--job-id <UUID>', 'ID of the job (default: derived from the file and the terms).', value)
    .option('--wait', 'Show the progress and wait until the job ends.')
    .option('--refusals <FILE>', 'Wait, then write the refused items and their line numbers to this file.', value)
    .option('--dry-run', 'Issue nothing: check the file, and try its first 100 lines as a dry run on the server.')
    .action(toAction(async () => (await import('./job-issue.ts')).issue));
}
