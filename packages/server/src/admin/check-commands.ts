import type { Command } from 'commander';
import { oneOf, signings, type ToAction, value } from './command.ts';

/** Options of every check: which rules to run, and where to write the report. */
const reported = (command: Command): Command =>
  command
    .option('--only <ID,…>', 'Only these rules, or all of a module, such as signature or limits.player.', value)
    .option('--junit <FILE>', 'Write the report as JUnit XML, for a build server.', value)
    .option('--html <FILE>', 'Write the report as one page that needs nothing else.', value);

export function declareCheck(check: Command, toAction: ToAction): void {
  const handlers = () => import('./check.ts');
  const server = check
    .command('server <URL>')
    .description(
      'Check any server of the interface as a partner of it: a sandbox, since it issues, plays and sets the clock forward by minutes. Ends with 3 when a rule does not hold, with 4 when some could not be checked.',
    )
    .option('--client <CLIENT_ID>', 'The partner.', value, '1')
    .option('--secret-file <FILE>', 'The file that holds its secret; that of the demo when absent.', value)
    .option('--other-client <CLIENT_ID>', 'A second partner, which must see nothing of the first.', value)
    .option('--other-secret-file <FILE>', 'The file that holds the secret of the second.', value)
    .addOption(oneOf('--signing <KIND>', signings, 'How ordinary requests are signed.').default('plain'));
  reported(server).action(toAction(async () => (await handlers()).server));
  const webhook = check
    .command('webhook <URL>')
    .description(
      'Check a receiver of events: sends it made-up events as the service does, and wrong ones. Ends with 3 when a rule does not hold.',
    )
    .option('--client <CLIENT_ID>', 'The partner whose events they would be.', value, '1')
    .option('--secret-file <FILE>', 'The file that holds its secret; that of the demo when absent.', value)
    .addOption(oneOf('--signing <KIND>', signings, 'How the events are signed.').default('plain'))
    .option('--timeout <SECONDS>', 'How long the service waits for an answer.', value, '15');
  reported(webhook).action(toAction(async () => (await handlers()).webhook));
  const provider = check
    .command('provider')
    .description(
      'Check a game provider: plays a small service, watches the rounds of its test system, and loses some answers. Ends with 3 when a rule does not hold, with 4 when some were not seen.',
    )
    .requiredOption('--listen <PORT>', 'Where the test system is to call; 0 takes any free port.', value)
    .option(
      '--host <ADDRESS>',
      'The address to listen on; another lets others than this machine call.',
      value,
      '127.0.0.1',
    )
    .option('--provider <PROVIDER_ID>', 'The provider.', value, 'check-provider')
    .option('--secret-file <FILE>', 'The file that holds its secret; one is made and shown when absent.', value)
    .option('--game <GAME_ID>', 'A game of the provider.', value, 'check-game')
    .option('--currency <CODE>', 'The currency of the free bets.', value, 'EUR')
    .option('--minutes <MINUTES>', 'When it ends at the latest.', value);
  reported(provider).action(toAction(async () => (await handlers()).provider));
}
