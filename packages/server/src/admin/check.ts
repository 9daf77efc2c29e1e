import { closeSync, openSync, writeFileSync } from 'node:fs';
import { type CheckHead, chosenAmong, exitCodeOf, type HowToCheck, type Report, type Result } from '../check/check.ts';
import { harmless } from '../check/exchange.ts';
import { players } from '../check/provider/players.ts';
import { checkProvider } from '../check/provider/provider-check.ts';
import { providerRules } from '../check/provider/provider-rules.ts';
import type { ProviderToCheck, SeenCall } from '../check/provider/provider-service.ts';
import { checkClientId } from '../check/provider/rounds.ts';
import { htmlReport } from '../check/reports/html.ts';
import { junitReport } from '../check/reports/junit.ts';
import { resultLines, verdictLine } from '../check/reports/people.ts';
import { checkServer, serverChecks } from '../check/server/server-check.ts';
import { checkWebhook, webhookChecks } from '../check/webhook/webhook-check.ts';
import { demoPartners } from '../demo/demo.ts';
import { readHttpUrl } from '../events/webhooks/request.ts';
import type { Config } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { newSecret } from '../primitives/sealing.ts';
import { parseClientId } from './changes.ts';
import { type Arguments, command, type Terminal, table } from './command.ts';
import { ownerOnly, restrictToOwner } from './files.ts';
import { portIn } from './receiver.ts';
import { guidesFor, readSecret, requireDemoSecret } from './server-calls.ts';
import { urlIn } from './webhook.ts';

// Certifies an integration: a server, a webhook receiver, or a game provider.

interface ReportOptions {
  only?: string;
  junit?: string;
  html?: string;
  json?: boolean;
}

interface ServerOptions extends ReportOptions {
  client: string;
  secretFile?: string;
  otherClient?: string;
  otherSecretFile?: string;
  signing: 'plain' | 'strict';
}

export const server = command({
  async run(config: Config, { positionals: [url], options }: Arguments<[string], ServerOptions>, terminal) {
    if (!URL.canParse(url)) throw new Failure(`${url} is not a URL such as http://127.0.0.1:8080.`);
    const us = callerOf(parseClientId(options.client), options.secretFile, '--secret-file');
    const toCheck = { url, signing: options.signing, us, other: otherCaller(us, options) };
    const guideAt = await guidesFor(config, url.replace(/\/+$/, '').replace(/\/v3$/, ''));
    return runWithReports(terminal, options, guideAt, serverChecks, (how) => checkServer(toCheck, how));
  },
  show: verdictLine,
  exitCode: exitCodeOf,
});

interface WebhookOptions extends ReportOptions {
  client: string;
  secretFile?: string;
  signing: 'plain' | 'strict';
  timeout: string;
}

export const webhook = command({
  async run(config: Config, { positionals: [url], options }: Arguments<[string], WebhookOptions>, terminal) {
    const { clientId, secret } = callerOf(parseClientId(options.client), options.secretFile, '--secret-file');
    const toCheck = { url: urlIn(readHttpUrl(url)).href, clientId, secret, signing: options.signing };
    const timeoutMs = secondsIn(options.timeout) * 1000;
    const guideAt = await guidesFor(config);
    return runWithReports(terminal, options, guideAt, webhookChecks, (how) =>
      checkWebhook({ ...toCheck, timeoutMs }, how),
    );
  },
  show: verdictLine,
  exitCode: exitCodeOf,
});

interface ProviderOptions extends ReportOptions {
  listen: string;
  host: string;
  provider: string;
  secretFile?: string;
  game: string;
  currency: string;
  minutes?: string;
}

export const provider = command({
  async run(config: Config, { options }: Arguments<[], ProviderOptions>, terminal) {
    const toCheck = {
      port: portIn('--listen', options.listen),
      host: options.host,
      providerId: options.provider,
      secret: options.secretFile === undefined ? newSecret() : readSecret(options.secretFile),
      gameId: options.game,
      currency: options.currency,
    };
    const print = (text: string) => (options.json ? terminal.stderr : terminal.stdout).write(`${text}\n`);
    const watching = {
      onListening: (url: string) => print(introduction(url, toCheck, options.secretFile === undefined)),
      onCall: (call: SeenCall) => print(callLine(call)),
      everyMs: 200,
    };
    const guideAt = await guidesFor(config);
    return runWithReports(terminal, options, guideAt, providerRules, ({ signal, ...how }) =>
      checkProvider(toCheck, { ...how, ...watching, signal: timeLimit(signal, options.minutes) }),
    );
  },
  show: verdictLine,
  exitCode: exitCodeOf,
});

function timeLimit(signal: AbortSignal, minutes: string | undefined): AbortSignal {
  if (minutes === undefined) return signal;
  if (!/^\d{1,4}(\.\d+)?$/.test(minutes)) throw new Failure('--minutes must be a number, such as 10.');
  return AbortSignal.any([signal, AbortSignal.timeout(Number(minutes) * 60_000)]);
}

/** Prints the secret only if this command generated it. */
function introduction(url: string, { providerId, gameId, currency, secret }: ProviderToCheck, isMade: boolean): string {
  const tasks = Object.values(players).map(({ id, task }) => [id, task]);
  return [
    `Listening on ${url}/v3 as a service with one partner. Make your test system call it with:`,
    `  provider_id ${providerId}, client_id ${checkClientId}, game_id ${gameId}, currency ${currency}`,
    ...(isMade ? [`  secret ${secret}`] : []),
    '',
    'Then, for each of these players:',
    '',
    table(['PLAYER', 'WHAT TO DO'], tasks),
    '',
    'The check ends when it has seen all of this. Press Ctrl-C to stop it earlier.',
    '',
  ].join('\n');
}

const treatments: Record<SeenCall['treatment'], string> = {
  answered: '',
  lost: ', and the response was dropped',
  unanswered: ', without a response',
  busy: ', as a busy service',
};

function callLine({ path, exchange, playerId, error, treatment }: SeenCall): string {
  const player = playerId === undefined ? '' : ` for ${playerId}`;
  const status = exchange.answer?.status ?? '';
  return harmless(`${path}${player}: ${status}${error === null ? '' : ` ${error}`}${treatments[treatment]}`);
}

function secondsIn(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,3}(\.\d+)?$/.test(text) || seconds <= 0)
    throw new Failure('--timeout must be a number of seconds, such as 15.');
  return seconds;
}

interface Caller {
  clientId: number;
  secret: string;
}

const callerOf = (clientId: number, file: string | undefined, option: string): Caller => ({
  clientId,
  secret: file === undefined ? requireDemoSecret(clientId, option) : readSecret(file),
});

/** Defaults to another partner of the demo when the first one uses its public demo secret. */
function otherCaller({ clientId }: Caller, options: ServerOptions): Caller | undefined {
  const { otherClient, otherSecretFile, secretFile } = options;
  if (otherClient !== undefined) {
    const other = callerOf(parseClientId(otherClient), otherSecretFile, '--other-secret-file');
    if (other.clientId === clientId) throw new Failure('--client and --other-client must be different partners.');
    return other;
  }
  return secretFile === undefined ? demoPartners.find((partner) => partner.clientId !== clientId) : undefined;
}

/** Runs the checks and writes the requested reports. With --json, stdout gets only the report. */
async function runWithReports(
  terminal: Terminal,
  options: ReportOptions,
  guideAt: HowToCheck['guideAt'],
  checks: readonly CheckHead[],
  run: (how: HowToCheck) => Promise<Report>,
): Promise<Report> {
  const only = parseOnly(options, checks);
  // Checks that each file is writable before the run, which takes minutes.
  for (const path of [options.junit, options.html]) if (path !== undefined) writeReport(path, '', 'a');
  const count = chosenAmong(checks, only).length;
  const isColoured = terminal.stdout.isTTY === true && !terminal.env.NO_COLOR;
  let known = 0;
  const onResult = (result: Result) => {
    known += 1;
    if (!options.json) terminal.stdout.write(`${resultLines({ isColoured }, result, known, count)}\n`);
  };
  const report = await run({ guideAt, only, onResult, signal: terminal.stopSignal() });
  if (options.junit !== undefined) writeReport(options.junit, junitReport(report));
  if (options.html !== undefined) writeReport(options.html, htmlReport(report));
  return report;
}

/** Refuses unknown IDs: a misspelled one would select no rules, so the check would pass. */
function parseOnly({ only }: ReportOptions, checks: readonly CheckHead[]): string[] | undefined {
  const names = only?.split(',').map((name) => name.trim());
  for (const name of names ?? []) {
    if (chosenAmong(checks, [name]).length > 0) continue;
    const modules = [...new Set(checks.map(({ id }) => id.split('.')[0]))].join(', ');
    throw new Failure(`There is no rule ${name}: --only takes rule IDs or modules (${modules}).`);
  }
  return names;
}

function writeReport(path: string, text: string, flag: 'w' | 'a' = 'w'): void {
  try {
    const file = openSync(path, flag, ownerOnly);
    try {
      restrictToOwner(file);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Failure(`The report can't be written to ${path}: ${(error as Error).message}.`);
  }
}
