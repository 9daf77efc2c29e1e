import type { Role } from '@freebets/contract';
import type { Command } from 'commander';
import type { DeliveryState } from '../events/webhooks/sql/deliveries.ts';
import { declareCheck } from './check-commands.ts';
import { oneOf, signings, type ToAction, value } from './command.ts';
import { declareJob } from './job-commands.ts';

// Declares every command: its name, its options, and the file that runs it. Imports nothing heavy, so that help and
// completion are fast.

export function declareCommands(program: Command, toAction: ToAction): void {
  declareServing(program, toAction);
  const client = program
    .command('client')
    .description('Create and configure partners and their webhooks.')
    .helpGroup('Partners');
  declareClient(client, toAction);
  declareWebhook(client.command('webhook').description('Send the events of a partner to a URL.'), toAction);
  declareProvider(
    program.command('provider').description('Create and configure game providers.').helpGroup('Partners'),
    toAction,
  );
  declareCatalogue(
    program.command('catalogue').description('Import or export the game catalogue.').helpGroup('Partners'),
    toAction,
  );
  declareJob(
    program.command('job').description('Issue free bets to many players from a file.').helpGroup('Partners'),
    toAction,
  );
  declareStaff(
    program
      .command('staff')
      .description('Invite, disable and help people who use the console.')
      .helpGroup('Staff, records'),
    toAction,
  );
  declareKeys(
    program.command('keys').description('Check or rotate the master key of the secrets.').helpGroup('Staff, records'),
    toAction,
  );
  declareAudit(
    program.command('audit').description('Verify or export the audit log.').helpGroup('Staff, records'),
    toAction,
  );
  declareReport(
    program.command('report').description('Verify or rebuild the hourly activity counts.').helpGroup('Staff, records'),
    toAction,
  );
  declareTrying(program, toAction);
  declareCheck(
    program
      .command('check')
      .description('Certify a server, webhook receiver or game provider.')
      .helpGroup('Try and check'),
    toAction,
  );
}

const yesOrNo = ['yes', 'no'];

/** An option of every command that changes something. */
const withReason = (command: Command): Command =>
  command.option('--reason <TEXT>', 'Reason for the change, for the audit log.', value);

function declareServing(program: Command, toAction: ToAction): void {
  program
    .command('serve')
    .description('Run the server. "npm start" does the same.')
    .summary('Run the server.')
    .helpGroup('Server')
    .action(toAction(async () => (await import('./serve.ts')).serve));
  program
    .command('migrate')
    .description('Update the database schema and list the migrations that ran.')
    .summary('Update the database schema.')
    .helpGroup('Server')
    .option('--distribute', 'Also distribute the tables over the nodes of a Citus cluster. Repeat it if interrupted.')
    .option(
      '--undistribute',
      'First move all distributed tables back to the coordinator. Repeat it if interrupted, and after you have copied the data to one machine.',
    )
    .option('--wait <SECONDS>', 'Run no migrations; wait up to this long for another server to run them.', value)
    .action(toAction(async () => (await import('./database.ts')).migrate));
  withReason(program.command('demo'))
    .description(
      'Load the demo partners, game providers and games; with the embedded database, also the demo staff. Their secrets are public, so never load them into a production database.',
    )
    .summary('Load demo data, with public secrets.')
    .helpGroup('Server')
    .option(
      '--with-staff',
      'Load the demo staff into any database. Everyone who can reach the service can then sign in as an admin.',
    )
    .action(toAction(async () => (await import('./database.ts')).demo));
}

const rotation =
  'Rotate the secret. Prints the new one once; the old one works until --retire-old. Use --lost-key if the master key is lost.';

const withRotation = (command: Command): Command =>
  withReason(
    command
      .description(rotation)
      .option('--retire-old', 'Retire the old secret without creating a new one.')
      .option('--lost-key', 'Accept only the new secret; the old one is not decrypted.'),
  );

const withAccess = (command: Command): Command =>
  command
    .addOption(oneOf('--signing <KIND>', signings, 'strict: signatures must cover the time and the path.'))
    .option('--allow-from <any|NETWORK,…>', 'Networks that may call, such as 203.0.113.0/24.', value);

function declareClient(client: Command, toAction: ToAction): void {
  const handlers = () => import('./client.ts');
  const stakeReturned = () => oneOf('--stake-returned <ANSWER>', yesOrNo, 'Whether winnings include the stake.');
  const created = client
    .command('create')
    .description('Create a partner and print its secret once.')
    .requiredOption('--name <NAME>', 'Name of the partner.', value)
    .option('--id <CLIENT_ID>', 'Number of the partner (default: the next free number).', value)
    .option('--offer <all|none|PROVIDER_ID,…>', 'Game providers whose games to offer (default: none).', value)
    .addOption(stakeReturned())
    .option('--sandbox', 'Create a permanent sandbox: a test partner whose clock you can set forward.');
  withReason(withAccess(created)).action(toAction(async () => (await handlers()).create));
  const updated = client
    .command('update <CLIENT_ID>')
    .description('Change the settings of a partner. Settings without an option stay unchanged.')
    .option('--name <NAME>', 'New name of the partner.', value)
    .addOption(stakeReturned());
  withReason(withAccess(updated)).action(toAction(async () => (await handlers()).update));
  client
    .command('list')
    .description('List the partners.')
    .action(toAction(async () => (await import('./lists.ts')).clientList));
  withReason(client.command('disable <CLIENT_ID>'))
    .description('Refuse all requests of a partner until you enable it again.')
    .action(toAction(async () => (await handlers()).disable));
  withReason(client.command('enable <CLIENT_ID>'))
    .description('Accept the requests of a disabled partner again.')
    .action(toAction(async () => (await handlers()).enable));
  withRotation(client.command('rotate-secret <CLIENT_ID>')).action(
    toAction(async () => (await handlers()).rotateSecret),
  );
  withReason(client.command('offer <CLIENT_ID> <PROVIDERS>'))
    .description('Set the game providers offered to a partner: all, none, or IDs separated by commas.')
    .action(toAction(async () => (await handlers()).offer));
  const clock = client
    .command('clock <CLIENT_ID>')
    .description('Show the clock of a sandbox partner, or set it forward.')
    .option('--set <TIME>', 'New time, such as 2027-01-31T12:00:00Z; at most two years ahead.', value);
  withReason(clock).action(toAction(async () => (await import('./clock.ts')).clock));
}

const deliveryStates = Object.keys({ waiting: 1, received: 1, failed: 1 } satisfies Record<DeliveryState, 1>);

function declareWebhook(webhook: Command, toAction: ToAction): void {
  const handlers = () => import('./webhook.ts');
  const set = webhook
    .command('set <CLIENT_ID> <URL>')
    .description(
      'Send the events of a partner to a URL. Starts with the next event, or where an earlier webhook stopped, or at --from.',
    )
    .option('--from <SEQUENCE>', 'Sequence of the first event to send.', value);
  withReason(set).action(toAction(async () => (await handlers()).set));
  webhook
    .command('show <CLIENT_ID>')
    .description('Show the webhook of a partner and the state of its deliveries.')
    .action(toAction(async () => (await handlers()).show));
  withReason(webhook.command('off <CLIENT_ID>'))
    .description('Stop sending the events of a partner. They wait until you set a webhook again.')
    .action(toAction(async () => (await handlers()).off));
  withReason(webhook.command('remove <CLIENT_ID>'))
    .description('Remove the webhook of a partner and its delivery history. The events stay in the feed.')
    .action(toAction(async () => (await handlers()).remove));
  webhook
    .command('deliveries <CLIENT_ID>')
    .description('List the delivery results of a partner, newest first.')
    .addOption(oneOf('--state <STATE>', deliveryStates, 'List only deliveries in this state.'))
    .option('--limit <COUNT>', 'Largest number of rows, at most 1,000 (default: 50).', value)
    .action(toAction(async () => (await handlers()).deliveries));
  const resend = webhook
    .command('resend <CLIENT_ID>')
    .description('Send events again: one, a range of at most 10,000, or all that failed.')
    .option('--sequence <N>', 'Sequence of the event, or of the first event in the range.', value)
    .option('--to <M>', 'Sequence of the last event in the range.', value)
    .option('--failed', 'Send all events whose retries ran out.');
  withReason(resend).action(toAction(async () => (await handlers()).resend));
}

function declareProvider(provider: Command, toAction: ToAction): void {
  const handlers = () => import('./provider.ts');
  const created = provider
    .command('create')
    .description('Create a game provider and print its secret once.')
    .requiredOption('--name <NAME>', 'Name of the game provider.', value)
    .requiredOption('--currencies <EUR,USD,…>', 'Currencies of its games, separated by commas.', value)
    .option('--id <PROVIDER_ID>', 'ID of the game provider (default: derived from the name).', value);
  withReason(withAccess(created)).action(toAction(async () => (await handlers()).create));
  withReason(withAccess(provider.command('update <PROVIDER_ID>')))
    .description('Change the access of a game provider. Settings without an option stay unchanged.')
    .action(toAction(async () => (await handlers()).update));
  provider
    .command('list')
    .description('List the game providers.')
    .action(toAction(async () => (await import('./lists.ts')).providerList));
  withReason(provider.command('disable <PROVIDER_ID>'))
    .description('Refuse all requests of a game provider until you enable it again.')
    .action(toAction(async () => (await handlers()).disable));
  withReason(provider.command('enable <PROVIDER_ID>'))
    .description('Accept the requests of a disabled game provider again.')
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
    .description('Print the catalogue in the format that import reads.')
    .action(toAction(async () => (await handlers()).exportFile));
}

function declareKeys(keys: Command, toAction: ToAction): void {
  const handlers = () => import('./database.ts');
  keys
    .command('check')
    .description(
      'Decrypt every secret with SECRETS_KEY, without changes. Exits with 1 and lists the owners if some fail.',
    )
    .action(toAction(async () => (await handlers()).check));
  withReason(keys.command('rotate'))
    .description(
      'Re-encrypt every secret with the first key of SECRETS_KEY. The other keys only decrypt. Exits with 1 if some secrets do not decrypt.',
    )
    .action(toAction(async () => (await handlers()).rotate));
}

const roles = Object.keys({ viewer: 1, support: 1, manager: 1, admin: 1, auditor: 1 } satisfies Record<Role, 1>);

function declareStaff(staff: Command, toAction: ToAction): void {
  const handlers = () => import('./staff.ts');
  const sso = 'Create a link for single sign-on instead of a password.';
  withReason(staff.command('invite <EMAIL>'))
    .description('Invite a person, or renew an open invitation. Prints the link once; it works for 72 hours.')
    .addOption(oneOf('--role <ROLE>', roles, 'Role of the person.').makeOptionMandatory())
    .option('--name <NAME>', 'Name of the person (default: derived from the address).', value)
    .option('--partners <all|CLIENT_ID,…>', 'Partners that the person can see.', value, 'all')
    .option('--sso', sso)
    .action(toAction(async () => (await handlers()).invite));
  staff
    .command('list')
    .description('List staff members with their roles, partners and last visit.')
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
    .description('List requests of admins that need a second admin, pending or confirmed.')
    .action(toAction(async () => (await confirmations()).list));
  withReason(staff.command('confirm <ID|EMAIL>'))
    .description('Confirm a request of an admin, or a person admitted by a single admin.')
    .action(toAction(async () => (await confirmations()).confirm));
  withReason(staff.command('reset-mfa <EMAIL>'))
    .description('Remove the lost second factor of a staff member and end their sessions.')
    .action(toAction(async () => (await handlers()).resetMfa));
  withReason(staff.command('reset-password <EMAIL>'))
    .description('Create a link that sets a new password. Prints the link once; the old password works until then.')
    .option('--sso', sso)
    .action(toAction(async () => (await handlers()).resetPassword));
}

function declareReport(report: Command, toAction: ToAction): void {
  const handlers = () => import('./report.ts');
  const partner = 'Only this partner (default: all).';
  report
    .command('verify')
    .description('Check that the activity counts match the free bets and bets. Exits with 1 if they differ.')
    .option('--client <CLIENT_ID>', partner, value)
    .action(toAction(async () => (await handlers()).verify));
  withReason(report.command('rebuild'))
    .description('Recount the activity from the events, or from the free bets and bets if old events were removed.')
    .option('--client <CLIENT_ID>', partner, value)
    .action(toAction(async () => (await handlers()).rebuild));
}

function declareTrying(program: Command, toAction: ToAction): void {
  program
    .command('play')
    .description('Play a round with a free bet on the demo data of a running server, step by step.')
    .summary('Play a round with a free bet on demo data.')
    .helpGroup('Try and check')
    .option('--player <PLAYER_ID>', 'Player.', value, 'player-1')
    .option('--coefficient <COEFFICIENT>', 'Odds of the cash-out.', value, '1.50')
    .option('--client <CLIENT_ID>', 'Demo partner of the player.', value, '1')
    .option('--url <URL>', 'Server address (default: the server that uses DATA_DIR).', value)
    .action(toAction(async () => (await import('./play.ts')).playCommand));
  program
    .command('simulate')
    .description('Generate demo traffic on a running server until Ctrl-C: campaigns, free bets and rounds.')
    .summary('Generate demo traffic until Ctrl-C.')
    .helpGroup('Try and check')
    .option('--players <COUNT>', 'Number of players.', value, '200')
    .option('--rate <ACTS>', 'Average number of actions per second.', value, '3')
    .option('--minutes <MINUTES>', 'Stop after this time (default: run until Ctrl-C).', value)
    .option('--url <URL>', 'Server address (default: the server that uses DATA_DIR).', value)
    .action(toAction(async () => (await import('./simulate.ts')).simulate));
  const listen = program
    .command('listen')
    .description(
      'Receive the events of a partner on this machine, verify their signatures and print them, until Ctrl-C.',
    )
    .summary('Receive and print the events of a partner.')
    .helpGroup('Try and check')
    .option('--port <PORT>', 'Port to listen on (default: any free port).', value)
    .option('--client <CLIENT_ID>', 'Partner (default: the demo partner).', value)
    .option('--from <SEQUENCE>', 'Sequence of the first event.', value)
    .option('--forward <URL>', 'URL to forward each event to. Its responses go back to the server.', value);
  withReason(listen).action(toAction(async () => (await import('./listen.ts')).listen));
}

function declareAudit(audit: Command, toAction: ToAction): void {
  const handlers = () => import('./audit.ts');
  audit
    .command('verify')
    .description(
      'Verify that no audit entry was changed, removed or added, in the database or in an exported file. Exits with 1 if one was.',
    )
    .option('--client <CLIENT_ID>', 'Only entries of this partner; 0 for entries without a partner.', value)
    .option('--file <FILE>', 'File written by `audit export`; needs no database.', value)
    .action(toAction(async () => (await handlers()).verify));
  withReason(audit.command('export'))
    .description(
      'Print the audit log as NDJSON that `audit verify` can check without a database. The export itself is recorded.',
    )
    .option('--client <CLIENT_ID>', 'Only entries of this partner; 0 for entries without a partner.', value)
    .option('--from <TIME>', 'Only entries from this time on, such as 2027-01-31T12:00:00Z.', value)
    .option('--until <TIME>', 'Only entries before this time.', value)
    .option('--file <FILE>', 'Output file.', value)
    .action(toAction(async () => (await handlers()).exportRecord));
}
