import type { Command } from 'commander';
import { oneOf, signings, type ToAction, value } from './command.ts';

/** Options of every check: which rules to run, and where to write the report. */
const reported = (command: Command): Command =>
  command
    .option('--only <ID,…>', 'Only these rules or modules, such as signature or limits.player.', value)
    .option('--junit <FILE>', 'Write the report as JUnit XML.', value)
    .option('--html <FILE>', 'Write the report as one self-contained page.', value);

export function declareCheck(check: Command, toAction: ToAction): void {
  const handlers = () => import('./check.ts');
  const server = check
    .command('server <URL>')
    .description(
      'Check any server that implements the API. Use a sandbox partner: the check issues free bets, plays rounds and sets the clock forward by minutes. Exits with 3 if a rule fails, with 4 if some could not be checked.',
    )
    .option('--client <CLIENT_ID>', 'Partner.', value, '1')
    .option('--secret-file <FILE>', "File with the partner's secret (default: the demo secret).", value)
    .option('--other-client <CLIENT_ID>', 'Second partner, which must not see data of the first.', value)
    .option('--other-secret-file <FILE>', 'File with the secret of the second partner.', value)
    .addOption(oneOf('--signing <KIND>', signings, 'Signing of ordinary requests.').default('plain'));
  reported(server).action(toAction(async () => (await handlers()).server));
  const webhook = check
    .command('webhook <URL>')
    .description(
      'Check a webhook receiver: sends it valid sample events as the service does, and invalid ones. Exits with 3 if a rule fails.',
    )
    .option('--client <CLIENT_ID>', 'Partner in the events.', value, '1')
    .option('--secret-file <FILE>', "File with the partner's secret (default: the demo secret).", value)
    .addOption(oneOf('--signing <KIND>', signings, 'Signing of the events.').default('plain'))
    .option('--timeout <SECONDS>', 'Time limit for each response.', value, '15');
  reported(webhook).action(toAction(async () => (await handlers()).webhook));
  const provider = check
    .command('provider')
    .description(
      'Check a game provider: runs a small simulated service, watches the rounds of the test system, and drops some responses. Exits with 3 if a rule fails, with 4 if some were not observed.',
    )
    .requiredOption('--listen <PORT>', 'Port that the test system calls; 0 for any free port.', value)
    .option(
      '--host <ADDRESS>',
      'Address to listen on. The default accepts calls from this machine only.',
      value,
      '127.0.0.1',
    )
    .option('--provider <PROVIDER_ID>', 'Game provider.', value, 'check-provider')
    .option('--secret-file <FILE>', 'File with its secret (default: create one and print it).', value)
    .option('--game <GAME_ID>', 'Game of the provider.', value, 'check-game')
    .option('--currency <CODE>', 'Currency of the free bets.', value, 'EUR')
    .option('--minutes <MINUTES>', 'Stop after this time.', value);
  reported(provider).action(toAction(async () => (await handlers()).provider));
}
