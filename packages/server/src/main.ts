import { catalogueCommands } from './cli/catalogue.ts';
import { clientCommands } from './cli/client.ts';
import { type Command, parseArguments, wordsOf } from './cli/command.ts';
import { databaseCommands } from './cli/database.ts';
import { playCommand } from './cli/play.ts';
import { providerCommands } from './cli/provider.ts';
import { webhookCommands } from './cli/webhook.ts';
import { readConfig } from './config.ts';
import { Failure } from './failure.ts';
import { version } from './version.ts';

const serveCommand: Command = {
  usage: 'serve',
  about: 'Run the server (what npm start does).',
  // Loaded only for this command: the parts of the server take longer to load than the others take to run.
  run: async (config) => (await import('./cli/serve.ts')).serve(config),
  show: () => '',
};

const listenCommand: Command = {
  usage: 'listen [--port 0] [--client CLIENT_ID] [--from SEQUENCE] [--forward URL]',
  about: 'Receive the events of a partner on this machine, check their signatures, and print them, until Ctrl-C.',
  options: {
    port: { type: 'string', default: '0' },
    client: { type: 'string' },
    from: { type: 'string' },
    forward: { type: 'string' },
  },
  run: async (config, args) => (await import('./cli/listen.ts')).listen(config, args),
  show: () => '',
};

const commands = [
  serveCommand,
  ...databaseCommands,
  ...clientCommands,
  ...webhookCommands,
  ...providerCommands,
  ...catalogueCommands,
  playCommand,
  listenCommand,
];

function help(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length).filter((length) => length < 44));
  const lines = commands.map(({ usage, about }) =>
    usage.length > width ? `  ${usage}\n  ${' '.repeat(width)}  ${about}` : `  ${usage.padEnd(width)}  ${about}`,
  );
  return `freebets ${version}\n\n${lines.join('\n')}\n\nAll take --json. Settings are environment variables: see .env.example.`;
}

function choose(args: string[]): Command | undefined {
  const matches = commands.filter((command) => wordsOf(command).every((word, i) => args[i] === word));
  return matches.sort((a, b) => wordsOf(b).length - wordsOf(a).length)[0];
}

async function main(args: string[]): Promise<void> {
  const [first] = args;
  if (first === '--version') return console.log(version);
  if (first === undefined || args.includes('--help') || first === 'help') return console.log(help());
  const chosen = choose(args);
  if (chosen === undefined) throw new Failure(`There is no command "${args.join(' ')}"; see freebets --help.`);
  const parsed = parseArguments(chosen, args.slice(wordsOf(chosen).length));
  const result = await chosen.run(readConfig(process.env), parsed);
  if (result === undefined) return;
  console.log(parsed.options.json ? JSON.stringify(result) : chosen.show(result));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isStopped = error instanceof Error && error.name === 'AbortError';
  if (!isStopped) console.error(error instanceof Failure ? error.message : error);
  process.exit(1);
}
