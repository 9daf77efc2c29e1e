import type { JobStatus, Role } from '@freebets/contract';
import type { Command } from 'commander';
import type { DeliveryState } from '../events/webhooks/sql/deliveries.ts';
import { declareCheck } from './check-commands.ts';
import { oneOf, signings, type ToAction, value } from './command.ts';
import type { ListFormat } from './job-list.ts';

// Declares every command: its name, its options, and the file that runs it. Imports nothing heavy, so that help and
// completion are fast.

export function declareCommands(program: Command, toAction: ToAction): void {
  declareServing(program, toAction);
  const client = program
    .command('client')
    .description('Partners: create them, and set what they may do and are offered.');
  declareClient(client, toAction);
  declareWebhook(client.command('webhook').description('Where the events of a partner are sent.'), toAction);
  declareProvider(
    program.command('provider').description('Game providers: create them, and set what they may do.'),
    toAction,
  );
  declareCatalogue(program.command('catalogue').description('The games and their providers, as a file.'), toAction);
  declareKeys(program.command('keys').description('The master key, under which secrets are encrypted.'), toAction);
  declareStaff(program.command('staff').description('People who sign in to the console.'), toAction);
  declareReport(program.command('report').description('What happened, counted hour by hour.'), toAction);
  declareTrying(program, toAction);
  declareCheck(
    program.command('check').description('Certify an integration: a server, a receiver of events, or a game provider.'),
    toAction,
  );
  declareJob(program.command('job').description('Free bets for many players from one list, over HTTP.'), toAction);
  declareAudit(
    program.command('audit').description('The record of what staff and these commands have done.'),
    toAction,
  );
}

const yesOrNo = ['yes', 'no'];

/** An option of every command that changes something. */
const withReason = (command: Command): Command =>
  command.option('--reason <TEXT>', 'Why; it is recorded with the change.', value);

function declareServing(program: Command, toAction: ToAction): void {
  program
    .command('serve')
    .description('Run the server (what npm start does).')
    .action(toAction(async () => (await import('./serve.ts')).serve));
  program
    .command('migrate')
    .description('Bring the schema of the database up to date, and say what was run.')
    .option(
      '--distribute',
      'Also spread its tables over the machines of a Citus cluster; to be repeated if it was broken off.',
    )
    .option(
      '--undistribute',
      'First bring all of them back to the machine that is asked; to be repeated if it was broken off, and after the data was copied to one machine.',
    )
    .option('--wait <SECONDS>', 'Run nothing, and wait this long for another server to migrate.', value)
    .action(toAction(async () => (await import('./database.ts')).migrate));
  withReason(program.command('demo'))
    .description(
      'Load the demo partners, providers and games, and into the embedded database its people. Their secrets are public: never into a real database.',
    )
    .option(
      '--with-staff',
      'Load the people into any database. Everyone who can reach the service can then sign in as an admin.',
    )
    .action(toAction(async () => (await import('./database.ts')).demo));
}

const rotation =
  'Make a new secret, shown once; the old one stays valid until --retire-old. With --lost-key, after the master key was lost.';

const withRotation = (command: Command): Command =>
  withReason(
    command
      .description(rotation)
      .option('--retire-old', 'Make none, but retire the old one.')
      .option('--lost-key', 'Leave only the new one valid, without opening the old one.'),
  );

const withAccess = (command: Command): Command =>
  command
    .addOption(oneOf('--signing <KIND>', signings, 'Whether its signatures must cover the time and the path: strict.'))
    .option('--allow-from <any|NETWORK,…>', 'The networks from which it may call, such as 203.0.113.0/24.', value);

function declareClient(client: Command, toAction: ToAction): void {
  const handlers = () => import('./client.ts');
  const stakeReturned = () =>
    oneOf('--stake-returned <ANSWER>', yesOrNo, 'Whether a won free bet pays its stake as well.');
  const created = client
    .command('create')
    .description('Create a partner and show its secret, once.')
    .requiredOption('--name <NAME>', 'Its name.', value)
    .option('--id <CLIENT_ID>', 'Its number; the next free one when absent.', value)
    .option('--offer <all|none|PROVIDER_ID,…>', 'The providers whose games it is offered; none when absent.', value)
    .addOption(stakeReturned())
    .option('--sandbox', 'A sandbox, for good: a partner to try things with, whose clock can be set forward.');
  withReason(withAccess(created)).action(toAction(async () => (await handlers()).create));
  const updated = client
    .command('update <CLIENT_ID>')
    .description('Change the settings of a partner; what is left out stays as it is.')
    .option('--name <NAME>', 'Its new name.', value)
    .addOption(stakeReturned());
  withReason(withAccess(updated)).action(toAction(async () => (await handlers()).update));
  client
    .command('list')
    .description('List the partners.')
    .action(toAction(async () => (await import('./lists.ts')).clientList));
  withReason(client.command('disable <CLIENT_ID>'))
    .description('Refuse every request of a partner, until it is enabled again.')
    .action(toAction(async () => (await handlers()).disable));
  withReason(client.command('enable <CLIENT_ID>'))
    .description('Accept the requests of a disabled partner again.')
    .action(toAction(async () => (await handlers()).enable));
  withRotation(client.command('rotate-secret <CLIENT_ID>')).action(
    toAction(async () => (await handlers()).rotateSecret),
  );
  withReason(client.command('offer <CLIENT_ID> <PROVIDERS>'))
    .description('Set which providers a partner is offered: all, none, or their ids with commas between.')
    .action(toAction(async () => (await handlers()).offer));
  const clock = client
    .command('clock <CLIENT_ID>')
    .description('Show the clock of a sandbox partner, or set it forward.')
    .option('--set <TIME>', 'What it is to show, such as 2027-01-31T12:00:00Z: at most two years later.', value);
  withReason(clock).action(toAction(async () => (await import('./clock.ts')).clock));
}

const deliveryStates = Object.keys({ waiting: 1, received: 1, failed: 1 } satisfies Record<DeliveryState, 1>);

function declareWebhook(webhook: Command, toAction: ToAction): void {
  const handlers = () => import('./webhook.ts');
  const set = webhook
    .command('set <CLIENT_ID> <URL>')
    .description(
      'Send the events of a partner to a URL: from now on, or from where it had stopped before, or from an event of your choice.',
    )
    .option('--from <SEQUENCE>', 'The number of the event to begin with.', value);
  withReason(set).action(toAction(async () => (await handlers()).set));
  webhook
    .command('show <CLIENT_ID>')
    .description('Show where the events of a partner go, and how that is going.')
    .action(toAction(async () => (await handlers()).show));
  withReason(webhook.command('off <CLIENT_ID>'))
    .description('Stop sending the events of a partner; they wait until a webhook is set again.')
    .action(toAction(async () => (await handlers()).off));
  withReason(webhook.command('remove <CLIENT_ID>'))
    .description('Remove the webhook of a partner, with all that is known of its deliveries; the events stay.')
    .action(toAction(async () => (await handlers()).remove));
  webhook
    .command('deliveries <CLIENT_ID>')
    .description('List what became of the events of a partner, the latest first.')
    .addOption(oneOf('--state <STATE>', deliveryStates, 'Only those in this state.'))
    .option('--limit <COUNT>', 'How many at most, up to 1000; 50 when absent.', value)
    .action(toAction(async () => (await handlers()).deliveries));
  const resend = webhook
    .command('resend <CLIENT_ID>')
    .description('Send one event again, or those from one to another (10000 at most), or all that failed.')
    .option('--sequence <N>', 'The number of the event, or of the first.', value)
    .option('--to <M>', 'The number of the last.', value)
    .option('--failed', 'All that failed for good.');
  withReason(resend).action(toAction(async () => (await handlers()).resend));
}

function declareProvider(provider: Command, toAction: ToAction): void {
  const handlers = () => import('./provider.ts');
  const created = provider
    .command('create')
    .description('Create a game provider and show its secret, once.')
    .requiredOption('--name <NAME>', 'Its name.', value)
    .requiredOption('--currencies <EUR,USD,…>', 'The currencies of its games, with commas between.', value)
    .option('--id <PROVIDER_ID>', 'Its id; made of its name when absent.', value);
  withReason(withAccess(created)).action(toAction(async () => (await handlers()).create));
  withReason(withAccess(provider.command('update <PROVIDER_ID>')))
    .description('Change how a provider may call; what is left out stays as it is.')
    .action(toAction(async () => (await handlers()).update));
  provider
    .command('list')
    .description('List the game providers.')
    .action(toAction(async () => (await import('./lists.ts')).providerList));
  withReason(provider.command('disable <PROVIDER_ID>'))
    .description('Refuse every request of a provider, until it is enabled again.')
    .action(toAction(async () => (await handlers()).disable));
  withReason(provider.command('enable <PROVIDER_ID>'))
    .description('Accept the requests of a disabled provider again.')
    .action(toAction(async () => (await handlers()).enable));
  withRotation(provider.command('rotate-secret <PROVIDER_ID>')).action(
    toAction(async () => (await handlers()).rotateSecret),
  );
}

function declareCatalogue(catalogue: Command, toAction: ToAction): void {
  const handlers = () => import('./catalogue.ts');
  withReason(catalogue.command('import <FILE>'))
    .description('Import a catalogue file. Games that it does not contain are withdrawn.')
    .action(toAction(async () => (await handlers()).importFile));
  catalogue
    .command('export')
    .description('Print the catalogue, in the shape that import takes.')
    .action(toAction(async () => (await handlers()).exportFile));
}

function declareKeys(keys: Command, toAction: ToAction): void {
  const handlers = () => import('./database.ts');
  keys
    .command('check')
    .description(
      'Open every secret with SECRETS_KEY, and change nothing. Ends with 1 when some do not open, and names whose.',
    )
    .action(toAction(async () => (await handlers()).check));
  withReason(keys.command('rotate'))
    .description(
      'Encrypt every secret anew under the first key of SECRETS_KEY, with the others still there to open it. Ends with 1 when some do not open.',
    )
    .action(toAction(async () => (await handlers()).rotate));
}

const roles = Object.keys({ viewer: 1, support: 1, manager: 1, admin: 1, auditor: 1 } satisfies Record<Role, 1>);

function declareStaff(staff: Command, toAction: ToAction): void {
  const handlers = () => import('./staff.ts');
  const sso = 'The link is for single sign-on instead of a password.';
  withReason(staff.command('invite <EMAIL>'))
    .description('Invite a person, or renew an open invitation. Prints the link once; it works for 72 hours.')
    .addOption(oneOf('--role <ROLE>', roles, 'What they may do.').makeOptionMandatory())
    .option('--name <NAME>', 'Their name; made of the address when absent.', value)
    .option('--partners <all|CLIENT_ID,…>', 'The partners that they see.', value, 'all')
    .option('--sso', sso)
    .action(toAction(async () => (await handlers()).invite));
  staff
    .command('list')
    .description('List the people, what they may do, and when they were last seen.')
    .action(toAction(async () => (await handlers()).list));
  withReason(staff.command('disable <EMAIL>'))
    .description('Disable a staff member and end their sessions and invitations.')
    .action(toAction(async () => (await handlers()).disable));
  withReason(staff.command('enable <EMAIL>'))
    .description('Enable a staff member.')
    .action(toAction(async () => (await handlers()).enable));
  const confirmations = () => import('./confirmations.ts');
  staff
    .command('requests')
    .description('List the requests of admins that wait for a second admin, or are confirmed.')
    .action(toAction(async () => (await confirmations()).list));
  withReason(staff.command('confirm <ID|EMAIL>'))
    .description('Confirm the request of an admin, or a person whom one admin alone let in.')
    .action(toAction(async () => (await confirmations()).confirm));
  withReason(staff.command('reset-mfa <EMAIL>'))
    .description('Remove the second factor of a staff member who has lost it, and end their sessions.')
    .action(toAction(async () => (await handlers()).resetMfa));
  withReason(staff.command('reset-password <EMAIL>'))
    .description('Create a link that sets a new password. Prints the link once; the old password works until then.')
    .option('--sso', sso)
    .action(toAction(async () => (await handlers()).resetPassword));
}

function declareReport(report: Command, toAction: ToAction): void {
  const handlers = () => import('./report.ts');
  const partner = 'Only this partner; all of them when absent.';
  report
    .command('verify')
    .description('Prove that the activity agrees with the free bets and bets themselves. Ends with 1 when it does not.')
    .option('--client <CLIENT_ID>', partner, value)
    .action(toAction(async () => (await handlers()).verify));
  withReason(report.command('rebuild'))
    .description('Count the activity anew: from the events, or where old ones are removed from the free bets and bets.')
    .option('--client <CLIENT_ID>', partner, value)
    .action(toAction(async () => (await handlers()).rebuild));
}

function declareTrying(program: Command, toAction: ToAction): void {
  program
    .command('play')
    .description('Play a round with a free bet on the demo data of a running server, step by step.')
    .option('--player <PLAYER_ID>', 'Who plays.', value, 'player-1')
    .option('--coefficient <COEFFICIENT>', 'At which it is cashed out.', value, '1.50')
    .option('--client <CLIENT_ID>', 'The partner of the demo whose player plays.', value, '1')
    .option('--url <URL>', 'The server; the one that runs on DATA_DIR when absent.', value)
    .action(toAction(async () => (await import('./play.ts')).playCommand));
  program
    .command('simulate')
    .description('Let the demo data of a running server live: campaigns, free bets, rounds, at a pace to watch.')
    .option('--players <COUNT>', 'How many players there are.', value, '200')
    .option('--rate <ACTS>', 'How many things happen in a second, in the long run.', value, '3')
    .option('--minutes <MINUTES>', 'When it ends; with Ctrl-C when absent.', value)
    .option('--url <URL>', 'The server; the one that runs on DATA_DIR when absent.', value)
    .action(toAction(async () => (await import('./simulate.ts')).simulate));
  const listen = program
    .command('listen')
    .description(
      'Receive the events of a partner on this machine, check their signatures, and print them, until Ctrl-C.',
    )
    .option('--port <PORT>', 'Where to receive them; any free port when absent.', value)
    .option('--client <CLIENT_ID>', 'The partner; the demo partner when absent.', value)
    .option('--from <SEQUENCE>', 'The number of the event to begin with.', value)
    .option('--forward <URL>', 'Where to pass them on to; its answers are given back.', value);
  withReason(listen).action(toAction(async () => (await import('./listen.ts')).listen));
}

/** Options for the server to call and the partner to call it as, shared by all job commands. */
const calling = (command: Command): Command =>
  command
    .option('--client <CLIENT_ID>', 'The partner.', value, '1')
    .option(
      '--secret-file <FILE>',
      'The file that holds its secret; that in the database of the server here, or of the demo, when absent.',
      value,
    )
    .option('--url <URL>', 'The server; the one that runs on DATA_DIR when absent.', value)
    .option('--reason <TEXT>', 'Why, for the record, where the secret is taken from the database.', value);

const listFormats = Object.keys({ csv: 1, ndjson: 1 } satisfies Record<ListFormat, 1>);
const jobStatuses = Object.keys({
  open: 1,
  scheduled: 1,
  running: 1,
  finished: 1,
  failed: 1,
  stopped: 1,
} satisfies Record<JobStatus, 1>);

function declareJob(job: Command, toAction: ToAction): void {
  const handlers = () => import('./job.ts');
  declareIssue(calling(job.command('issue')), toAction);
  calling(job.command('list'))
    .description('List the jobs of a partner, the newest first.')
    .addOption(oneOf('--status <STATUS>', jobStatuses, 'Only those with this status.'))
    .option('--limit <COUNT>', 'How many at most, up to 1000; 50 when absent.', value)
    .action(toAction(async () => (await handlers()).list));
  calling(job.command('show <JOB_ID>'))
    .description('Show how far a job has come.')
    .action(toAction(async () => (await handlers()).show));
  calling(job.command('retry <JOB_ID>'))
    .description('Retry a failed job: continue with the item that it failed at.')
    .action(toAction(async () => (await handlers()).retry));
  calling(job.command('stop <JOB_ID>'))
    .description('Stop a job: what is not issued yet never will be; what is issued stays.')
    .action(toAction(async () => (await handlers()).stop));
  calling(job.command('refusals <JOB_ID>'))
    .description('Print the items that a job was refused, as CSV; with --json as NDJSON.')
    .option('--file <FILE>', 'Where to write them: as NDJSON if it ends in .ndjson or .jsonl, otherwise as CSV.', value)
    .action(toAction(async () => (await handlers()).refusals));
}

function declareIssue(issue: Command, toAction: ToAction): void {
  issue
    .description(
      'Issue free bets to the players of a list, from a campaign or directly. Every line is checked before anything is sent. The same command again goes on where it was. Ends with 3 when some were refused.',
    )
    .requiredOption(
      '--file <FILE>',
      'The list: CSV with the columns player_id, currency, and perhaps issue_id, bet_amount, quantity; or NDJSON with such fields.',
      value,
    )
    .addOption(oneOf('--format <FORMAT>', listFormats, 'What the list is; by the end of its name when absent.'))
    .option('--currency <CODE>', 'Of all players, where the list has no such column.', value)
    .option('--ignore-columns', 'Pass over columns that have no place in a list.')
    .option('--campaign <CAMPAIGN_ID>', 'The campaign to issue from.', value)
    .option('--bet-amount <AMOUNT>', 'Without a campaign: what a bet is worth.', value)
    .option('--quantity <COUNT>', 'Without a campaign: how many bets a player gets.', value)
    .option('--games <GAME_ID,…>', 'Without a campaign: the games, with commas between.', value)
    .option('--valid-until <TIME>', 'Without a campaign: when the free bets end, such as 2027-01-31T12:00:00Z.', value)
    .option('--valid-from <TIME>', 'Without a campaign: when they begin.', value)
    .option('--duration-min <MINUTES>', 'Without a campaign: for how long each can be used.', value)
    .option('--min-coefficient <COEFFICIENT>', 'Without a campaign: the lowest coefficient.', value)
    .option('--max-coefficient <COEFFICIENT>', 'Without a campaign: the highest coefficient.', value)
    .option('--name <NAME>', 'The name of the job.', value)
    .option('--start-at <TIME>', 'When to begin; at once when absent.', value)
    .option('--job-id <UUID>', 'Its id; made of the list and of what is issued when absent.', value)
    .option('--wait', 'Wait for the end, and show how far it is.')
    .option('--refusals <FILE>', 'Wait, and write what was refused to this file, with the line of the list.', value)
    .option('--dry-run', 'Send nothing: check the list, and ask the server about its first 100 lines.')
    .action(toAction(async () => (await import('./job-issue.ts')).issue));
}

function declareAudit(audit: Command, toAction: ToAction): void {
  const handlers = () => import('./audit.ts');
  audit
    .command('verify')
    .description(
      'Check that nothing of the record was changed, removed or added: in the database, or in an exported file without it. Ends with 1 when something was.',
    )
    .option('--client <CLIENT_ID>', 'Only what belongs to this partner; 0 for what belongs to none.', value)
    .option('--file <FILE>', 'A file that audit export has written.', value)
    .action(toAction(async () => (await handlers()).verify));
  withReason(audit.command('export'))
    .description('Print the record as NDJSON that can be checked by itself; that it was exported is recorded too.')
    .option('--client <CLIENT_ID>', 'Only what belongs to this partner; 0 for what belongs to none.', value)
    .option('--from <TIME>', 'Only what was recorded at this time or later, such as 2027-01-31T12:00:00Z.', value)
    .option('--until <TIME>', 'Only what was recorded before this time.', value)
    .option('--file <FILE>', 'Where to write it.', value)
    .action(toAction(async () => (await handlers()).exportRecord));
}
