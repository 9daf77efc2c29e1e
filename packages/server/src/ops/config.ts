import { availableParallelism } from 'node:os';
import { Failure } from '../primitives/failure.ts';
import { readNetworks } from '../primitives/networks.ts';

// Settings are environment variables, each a row of this table. The table in the docs and .env.example are generated
// from it, which a test checks. No other code reads the environment.

interface Setting<T> {
  /** The text of the environment variable; empty if the setting is absent by default. */
  byDefault: string;
  about: string;
  read(text: string): T | undefined;
  /** The expected value, for error messages. */
  expected: string;
}

const whole = (min: number, max: number, byDefault: string, about: string): Setting<number> => ({
  byDefault,
  about,
  expected: `a whole number from ${min} to ${max}`,
  read: (text) => (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
});

const words = (byDefault: string, about: string): Setting<string> => ({
  byDefault,
  about,
  expected: 'text',
  read: (text) => text,
});

const oneOf = <T extends string>(choices: readonly T[], byDefault: T, about: string): Setting<T> => ({
  byDefault,
  about,
  expected: `one of ${choices.join(', ')}`,
  read: (text) => choices.find((choice) => choice === text),
});

/** Reads seconds, returns milliseconds. */
const secondsList = (byDefault: string, about: string): Setting<number[]> => ({
  byDefault,
  about,
  expected: 'up to 50 numbers of seconds, separated by commas',
  read: (text) =>
    /^\d{1,7}(\.\d{1,3})?(,\d{1,7}(\.\d{1,3})?){0,49}$/.test(text)
      ? text.split(',').map((s) => Number(s) * 1000)
      : undefined,
});

const networks = (byDefault: string, about: string): Setting<string[]> => ({
  byDefault,
  about,
  expected: 'networks such as 10.0.0.0/8,fd00::/8, each with nothing but zeros behind its prefix',
  read: (text) => {
    const read = readNetworks(text);
    return 'networks' in read ? read.networks : undefined;
  },
});

/** Reads whole currency units, returns cents. */
const amounts = (byDefault: string, about: string): Setting<ReadonlyMap<string, number>> => ({
  byDefault,
  about,
  expected: 'amounts such as EUR:10000,USD:10000',
  read: (text) => {
    const pairs = text.split(',').map((pair) => /^([A-Z0-9]{3,10}):(\d{1,12})$/.exec(pair.trim()));
    const amounts = new Map(pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2]) * 100]));
    return pairs.includes(null) || amounts.size < pairs.length ? undefined : amounts;
  },
});

/** Requires https because tokens and codes are sent to the issuer. Allows http only on this machine. */
const isIssuer = (text: string): boolean => {
  const { protocol, hostname } = URL.parse(text) ?? {};
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname ?? ''))
  );
};

/** Refuses a query or a fragment, because paths are appended to the URL. */
const isPublicUrl = (text: string): boolean => {
  const { protocol = '', username, password } = URL.parse(text) ?? {};
  return ['http:', 'https:'].includes(protocol) && !username && !password && !/[?#]/.test(text);
};

const port = whole(0, 65_535, '', '');

/** The query may contain a socket folder and ports. The driver then needs no host, but a URL does. */
const databaseUrlIn = (text: string): string | undefined => {
  const whole = text.replace(/@\/(?=[^?]*\?(.*&)?host=)/, '@localhost/');
  const { protocol = '', searchParams } = URL.parse(whole) ?? {};
  const arePorts = searchParams?.getAll('port').every((text) => text === '' || port.read(text) !== undefined);
  return ['postgres:', 'postgresql:'].includes(protocol) && arePorts ? whole : undefined;
};

const processes = whole(1, 256, '1', '');

export const settings = {
  PORT: whole(0, 65_535, '8080', 'Port of the API; 0 takes any free one.'),
  HOST: words('127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for every interface.'),
  PUBLIC_URL: {
    ...words('', 'Address under which others reach the server, without `/v3`; `http://HOST:PORT` when empty.'),
    expected: 'an http or https address, without a user, a query and a fragment',
    read: (text: string) => (isPublicUrl(text) ? text.replace(/\/+$/, '') : undefined),
  },
  DATABASE_URL: {
    ...words('', 'PostgreSQL 15 or newer, as `postgres://…`; when empty, a PostgreSQL of its own in `DATA_DIR`.'),
    expected: 'an address such as postgres://user:password@host:5432/database',
    read: databaseUrlIn,
  },
  DATABASE_CONNECTIONS: whole(2, 500, '12', 'Connections to the database: a third for writes, the rest for reads.'),
  DATABASE_DIRECT: oneOf(
    ['yes', 'no'],
    'no',
    'On many machines: ask the one itself that has the rows of the partner, at the address by which the machines know each other.',
  ),
  DATA_DIR: words('./data', 'Where the embedded database and its keys are kept, when there is no `DATABASE_URL`.'),
  ALLOW_UNSAFE_DATABASE: oneOf(
    ['yes', 'no'],
    'no',
    'Start even if the database may lose commits (`fsync` or `synchronous_commit` off).',
  ),
  SECRETS_KEY: {
    ...words(
      '',
      'Master key for the secrets at rest, 32 bytes in base64; required with `DATABASE_URL`. While it is changed, several with commas between: the first seals, each of them opens.',
    ),
    expected: '32 bytes in base64 (openssl rand -base64 32), or up to five of them with commas between',
    read: (text: string) => (/^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=){0,4}$/.test(text) ? text : undefined),
  },
  TRUSTED_PROXIES: networks(
    '',
    'Networks of the proxies whose `X-Forwarded-For` tells where a request comes from; nobody is believed when empty.',
  ),
  PROCESSES: {
    byDefault: '1',
    about:
      'Processes that serve, on one port and as one server; `auto` starts one for each core. Bounds for connections and memory, and `DATABASE_CONNECTIONS`, are shared out among them.',
    expected: 'auto, or a whole number from 1 to 256',
    read: (text: string) => (text === 'auto' ? availableParallelism() : processes.read(text)),
  },
  RATE_LIMIT: whole(0, 1_000_000, '1000', 'Requests a second for each caller, on each server; 0 turns it off.'),
  RATE_BURST: whole(0, 1_000_000, '2000', 'Requests a caller may send at once before the rate counts; 0 turns it off.'),
  ITEM_RATE_LIMIT: whole(
    0,
    10_000_000,
    '100000',
    'Items a second in batches and in parts of jobs for each partner, on each server; 0 turns it off.',
  ),
  ITEM_RATE_BURST: whole(
    5000,
    10_000_000,
    '200000',
    'Items a partner may send at once before their rate counts: at least as many as one request may have.',
  ),
  CALLER_TIMEOUT_MS: whole(
    100,
    600_000,
    '30000',
    'How long a caller may take to send a request, and to read an answer, before its connection is closed.',
  ),
  MAX_CONNECTIONS: whole(
    10,
    1_000_000,
    '10000',
    'Connections of callers at a time, at most three quarters of the files that the process may open. Beyond it the one that has been idle longest is closed.',
  ),
  BODIES_MIB: whole(
    1,
    1_000_000,
    '64',
    'Memory for bodies of more than 16 KiB that are still arriving, and as much for bodies that wait to be checked. Beyond it the server responds with 503: to the arriving body that began first, or to the last waiting body of the caller with the most bytes.',
  ),
  ANSWERS_MIB: whole(
    8,
    1_000_000,
    '128',
    'Memory for answers that are not read yet. Beyond it the connection whose answer has waited longest is closed.',
  ),
  REQUEST_DEADLINE_MS: whole(
    100,
    600_000,
    '5000',
    'A request that has waited this long is answered 503 and not carried out.',
  ),
  DRAIN_MS: whole(
    0,
    600_000,
    '0',
    'After SIGTERM, how long to serve on while `/readyz` already answers 503, so that load balancers turn away.',
  ),
  LANE_BATCH: whole(1, 5000, '512', 'How many commands of a partner one transaction may take.'),
  LANE_QUEUE: whole(
    1,
    1_000_000,
    '10000',
    'How many commands of a partner may wait; more are answered 503 at once. A batch needs room for all its items.',
  ),
  READ_QUEUE: whole(
    1,
    1_000_000,
    '1000',
    'How many reads of a caller may wait for a connection, of which it has half at most; more are answered 503 at once.',
  ),
  JOB_QUOTA: whole(1, 100_000, '1000', 'How many unfinished jobs a partner may have; further ones are refused.'),
  JOB_QUOTA_MIB: whole(
    1,
    1_000_000,
    '4096',
    'MiB that the lists of a partner’s unfinished jobs may take in the database; a part beyond it is refused.',
  ),
  SWEEP_BATCH: whole(1, 5000, '250', 'How many expired free bets of a partner are written down at a time.'),
  SWEEP_PAUSE_MS: whole(10, 3_600_000, '1000', 'How often expired free bets are looked for.'),
  WORKER: oneOf(
    ['on', 'off'],
    'on',
    'Whether this server does background work too: it delivers webhooks, carries out jobs, records expired free bets, counts activity, and removes old events and expired staff data.',
  ),
  WEBHOOK_ALLOW_PRIVATE: {
    ...oneOf(
      ['yes', 'no'],
      'no',
      'Whether webhooks may be sent to private, loopback and link-local addresses; when empty, only with the embedded database.',
    ),
    byDefault: '',
  },
  WEBHOOK_CONNECTIONS: whole(
    16,
    1_000_000,
    '4000',
    'Connections to webhooks at a time, at most an eighth of the files that the process may open. Each webhook has a share of up to 16 that no other can use, and can always open one connection.',
  ),
  WEBHOOK_TIMEOUT_MS: whole(100, 60_000, '15000', 'How long a webhook may take to answer.'),
  WEBHOOK_RETRIES_S: secondsList(
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    'Seconds to wait after each failed attempt to deliver an event, before the next.',
  ),
  EVENTS_KEPT_DAYS: whole(1, 36_500, '90', 'How long events, and what is known of their delivery, are kept.'),
  SESSION_IDLE_MIN: whole(1, 1440, '15', 'Minutes after which somebody of the staff who does nothing is signed out.'),
  SESSION_HOURS: whole(1, 168, '12', 'Hours after which somebody of the staff is signed out in any case.'),
  STAFF_MFA: {
    ...oneOf(
      ['on', 'off'],
      'on',
      'Whether staff must have a second factor to sign in; when empty, not with the embedded database.',
    ),
    byDefault: '',
  },
  STAFF_CONFIRMATION: {
    ...oneOf(
      ['on', 'off'],
      'on',
      'Whether a second admin must confirm changes that give approval rights, show a secret or return stakes; if empty, on except with the embedded database.',
    ),
    byDefault: '',
  },
  APPROVAL_LIMITS: amounts(
    '',
    'What one person may give away in 24 hours without the approval of another, such as `EUR:10000,USD:10000`; when empty, nothing, but with the embedded database 10000 in each of these.',
  ),
  OIDC_ISSUER: {
    ...words(
      '',
      'The OpenID Connect provider for single sign-on, such as `https://login.example.com`; none when empty.',
    ),
    expected: 'an https address, or an http one on this machine',
    read: (text: string) => (isIssuer(text) ? text : undefined),
  },
  OIDC_CLIENT_ID: words('', 'By which the provider of single sign-on knows this service.'),
  OIDC_CLIENT_SECRET: words('', 'The secret that goes with it.'),
  INTERNAL_PORT: {
    ...whole(
      0,
      65_535,
      '',
      'Port for `/livez`, `/readyz` and `/metrics`; when empty they are on the main port, without the figures by partner.',
    ),
  },
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'How much is logged; `info` is one line a request.',
  ),
} satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
type Optional =
  | 'WEBHOOK_ALLOW_PRIVATE'
  | 'PUBLIC_URL'
  | 'DATABASE_URL'
  | 'SECRETS_KEY'
  | 'INTERNAL_PORT'
  | 'TRUSTED_PROXIES'
  | 'STAFF_MFA'
  | 'STAFF_CONFIRMATION'
  | 'APPROVAL_LIMITS'
  | 'OIDC_ISSUER'
  | 'OIDC_CLIENT_ID'
  | 'OIDC_CLIENT_SECRET';
type ValueOf<K extends keyof Settings> = NonNullable<ReturnType<Settings[K]['read']>>;

export type Config = { [K in Exclude<keyof Settings, Optional>]: ValueOf<K> } & {
  [K in Optional]: ValueOf<K> | undefined;
};

export function readConfig(env: Record<string, string | undefined>): Config {
  const wrong: string[] = [];
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const text = env[name] || setting.byDefault;
    const value = text === '' ? undefined : setting.read(text);
    // The message does not repeat a wrong value, because it might be a misplaced secret.
    if (text !== '' && value === undefined) wrong.push(`${name} must be ${setting.expected}.`);
    return [name, value];
  });
  if (env.DATABASE_URL && !env.SECRETS_KEY) {
    wrong.push('SECRETS_KEY is required with DATABASE_URL: make one with "openssl rand -base64 32" and keep it safe.');
  }
  const oidc = [env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET].filter(Boolean).length;
  if (oidc > 0 && oidc < 3) wrong.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together.');
  const config: Config = Object.fromEntries(entries);
  if (config.INTERNAL_PORT && config.INTERNAL_PORT === config.PORT) {
    wrong.push('INTERNAL_PORT must be another than PORT; when empty, all is on that one.');
  }
  if (wrong.length > 0) throw new Failure(wrong.join('\n'));
  return config;
}

/** The contents of .env.example. */
export function envExample(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(
    ([name, { about, byDefault }]) => `# ${about}\n# ${name}=${byDefault}\n`,
  );
  return `# Settings and their defaults. Every one of them is optional for the first start.\n\n${rows.join('\n')}`;
}

/** The table in docs/operations.md. */
export function settingsTable(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(
    ([name, { about, byDefault }]) => `| \`${name}\` | ${byDefault === '' ? '' : `\`${byDefault}\``} | ${about} |\n`,
  );
  return `| setting | default | what it does |\n|---|---|---|\n${rows.join('')}`;
}

/** Allowed by default with the embedded database, which is for trying the service on one machine. */
export const arePrivateAddressesAllowed = (config: Config): boolean =>
  (config.WEBHOOK_ALLOW_PRIVATE ?? (config.DATABASE_URL === undefined ? 'yes' : 'no')) === 'yes';

/** Whether a rule for staff applies. By default it applies unless the database is embedded. */
export const isRequired = (config: Config, rule: 'STAFF_MFA' | 'STAFF_CONFIRMATION'): boolean =>
  (config[rule] ?? (config.DATABASE_URL === undefined ? 'off' : 'on')) === 'on';

const demoApprovalLimits: ReadonlyMap<string, number> = new Map([
  ['EUR', 1_000_000],
  ['USD', 1_000_000],
]);

/** In cents. */
export const approvalLimitsOf = (config: Config): ReadonlyMap<string, number> =>
  config.APPROVAL_LIMITS ?? (config.DATABASE_URL === undefined ? demoApprovalLimits : new Map());
