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
  expected: 'networks such as 10.0.0.0/8,fd00::/8, with only zeros after each prefix',
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
  PORT: whole(0, 65_535, '8080', 'Port of the API; 0 picks a free port.'),
  HOST: words('127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all interfaces.'),
  PUBLIC_URL: {
    ...words(
      '',
      'Public URL of the service, without `/v3`; if empty, `http://HOST:PORT`. Used for invitation and password links, session cookies, single sign-on callbacks, game pictures and `/openapi.json`.',
    ),
    expected: 'an http or https URL without a user, query or fragment',
    read: (text: string) => (isPublicUrl(text) ? text.replace(/\/+$/, '') : undefined),
  },
  DATABASE_URL: {
    ...words(
      '',
      'PostgreSQL 15 or newer, as `postgres://…`; if empty, the server runs an embedded PostgreSQL in `DATA_DIR`.',
    ),
    expected: 'a URL such as postgres://user:password@host:5432/database',
    read: databaseUrlIn,
  },
  DATABASE_CONNECTIONS: whole(
    2,
    500,
    '12',
    'Database connections for requests: a third for writes, the rest for reads.',
  ),
  DATABASE_DIRECT: oneOf(
    ['yes', 'no'],
    'no',
    'With Citus: connect to the node that holds the rows of a partner, at its address in `pg_dist_node`, instead of through the coordinator.',
  ),
  DATA_DIR: words('./data', 'Folder of the embedded database and its keys, if `DATABASE_URL` is empty.'),
  ALLOW_UNSAFE_DATABASE: oneOf(
    ['yes', 'no'],
    'no',
    'Start even if the database can lose commits (`fsync` or `synchronous_commit` off).',
  ),
  SECRETS_KEY: {
    ...words(
      '',
      'Master key that encrypts stored secrets, 32 bytes in base64; required with `DATABASE_URL`. During a key change, several keys separated by commas: the first encrypts, all decrypt.',
    ),
    expected: '32 bytes in base64 (openssl rand -base64 32), or up to five of them separated by commas',
    read: (text: string) => (/^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=){0,4}$/.test(text) ? text : undefined),
  },
  TRUSTED_PROXIES: networks(
    '',
    'Networks of the proxies whose `X-Forwarded-For` the server trusts; if empty, the server ignores the header.',
  ),
  PROCESSES: {
    byDefault: '1',
    about:
      'Processes that serve on one port as one server; `auto` starts one for each core. They share `DATABASE_CONNECTIONS` and the limits for connections and memory.',
    expected: 'auto, or a whole number from 1 to 256',
    read: (text: string) => (text === 'auto' ? availableParallelism() : processes.read(text)),
  },
  RATE_LIMIT: whole(0, 1_000_000, '1000', 'Requests per second for each caller, on each server; 0 means no limit.'),
  RATE_BURST: whole(
    0,
    1_000_000,
    '2000',
    'Requests that a caller can send in a burst before `RATE_LIMIT` applies; 0 means no limit.',
  ),
  ITEM_RATE_LIMIT: whole(
    0,
    10_000_000,
    '100000',
    'Items per second in batches and job parts for each partner, on each server; 0 means no limit.',
  ),
  ITEM_RATE_BURST: whole(
    5000,
    10_000_000,
    '200000',
    'Items that a partner can send in a burst before `ITEM_RATE_LIMIT` applies.',
  ),
  CALLER_TIMEOUT_MS: whole(
    100,
    600_000,
    '30000',
    'Time that a caller has to send a request, and to read a response. After it, the server closes the connection.',
  ),
  MAX_CONNECTIONS: whole(
    10,
    1_000_000,
    '10000',
    'Open connections of callers, at most three quarters of the open-file limit. Beyond it, the server closes the connection that has been idle longest.',
  ),
  BODIES_MIB: whole(
    1,
    1_000_000,
    '64',
    'Memory in MiB for arriving request bodies over 16 KiB, and the same again for bodies that wait for validation. Beyond it, the server responds with 503 to the oldest arriving body, or to the newest waiting body of the caller with the most bytes.',
  ),
  ANSWERS_MIB: whole(
    8,
    1_000_000,
    '128',
    'Memory in MiB for responses that callers have not read yet. Beyond it, the server closes the connection whose response has waited longest.',
  ),
  REQUEST_DEADLINE_MS: whole(
    100,
    600_000,
    '5000',
    'Time that a request can wait. After it, the request fails with 503 and has no effect.',
  ),
  DRAIN_MS: whole(
    0,
    600_000,
    '0',
    'Time after SIGTERM in which `/readyz` returns 503 and the server still serves, so that load balancers stop sending requests.',
  ),
  LANE_BATCH: whole(1, 5000, '512', 'Maximum number of commands of a partner in one transaction.'),
  LANE_QUEUE: whole(
    1,
    1_000_000,
    '10000',
    'Maximum number of waiting commands of a partner; further ones fail with 503. A batch needs room for all its items.',
  ),
  READ_QUEUE: whole(
    1,
    1_000_000,
    '1000',
    'Maximum number of waiting reads of a caller; further ones fail with 503. A caller uses at most half of the read connections.',
  ),
  JOB_QUOTA: whole(1, 100_000, '1000', 'Maximum number of unfinished jobs of a partner; creating another one fails.'),
  JOB_QUOTA_MIB: whole(
    1,
    1_000_000,
    '4096',
    'Space in MiB for the items of a partner’s unfinished jobs in the database; adding a part beyond it fails.',
  ),
  SWEEP_BATCH: whole(1, 5000, '250', 'Maximum number of expired free bets of a partner that one transaction records.'),
  SWEEP_PAUSE_MS: whole(10, 3_600_000, '1000', 'Interval between searches for expired free bets.'),
  WORKER: oneOf(
    ['on', 'off'],
    'on',
    'Whether this server does background work: delivers webhooks, runs jobs, records expired free bets, counts activity, and removes old events and expired staff data. At least one server needs `on`.',
  ),
  WEBHOOK_ALLOW_PRIVATE: {
    ...oneOf(
      ['yes', 'no'],
      'no',
      'Whether webhooks can use private, loopback and link-local addresses; if empty, only with the embedded database.',
    ),
    byDefault: '',
  },
  WEBHOOK_CONNECTIONS: whole(
    16,
    1_000_000,
    '4000',
    'Open connections to webhooks, at most an eighth of the open-file limit. Each webhook has a reserved share of up to 16, and can always open one connection.',
  ),
  WEBHOOK_TIMEOUT_MS: whole(100, 60_000, '15000', 'Time that a webhook has to respond.'),
  WEBHOOK_RETRIES_S: secondsList(
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    'Waits in seconds between the attempts to deliver an event.',
  ),
  EVENTS_KEPT_DAYS: whole(1, 36_500, '90', 'Days for which events and their delivery results are kept.'),
  SESSION_IDLE_MIN: whole(1, 1440, '15', 'Minutes without activity after which a staff session ends.'),
  SESSION_HOURS: whole(1, 168, '12', 'Hours after which a staff session ends in any case.'),
  STAFF_MFA: {
    ...oneOf(
      ['on', 'off'],
      'on',
      'Whether staff need a second factor to sign in; if empty, on except with the embedded database.',
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
    'Value that one staff member can award in 24 hours without approval, by currency, such as `EUR:10000,USD:10000`; if empty, every award needs approval, except with the embedded database, which uses the values of this example.',
  ),
  OIDC_ISSUER: {
    ...words(
      '',
      'OpenID Connect issuer for single sign-on, such as `https://login.example.com`; if empty, single sign-on is off.',
    ),
    expected: 'an https URL, or an http URL on this machine',
    read: (text: string) => (isIssuer(text) ? text : undefined),
  },
  OIDC_CLIENT_ID: words('', 'Client ID of this service at the issuer.'),
  OIDC_CLIENT_SECRET: words('', 'Client secret of this service at the issuer.'),
  INTERNAL_PORT: {
    ...whole(
      0,
      65_535,
      '',
      'Port for `/livez`, `/readyz` and `/metrics`; if empty, they are on `PORT`, without the metrics by partner.',
    ),
  },
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Log level; `info` logs one line for each request.',
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
    wrong.push(
      'SECRETS_KEY is required with DATABASE_URL: create one with "openssl rand -base64 32" and keep it safe.',
    );
  }
  const oidc = [env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET].filter(Boolean).length;
  if (oidc > 0 && oidc < 3) wrong.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.');
  const config: Config = Object.fromEntries(entries);
  if (config.INTERNAL_PORT && config.INTERNAL_PORT === config.PORT) {
    wrong.push('INTERNAL_PORT must differ from PORT.');
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
