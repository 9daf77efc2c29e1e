import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  approvalLimitsOf,
  envExample,
  isRequired,
  readConfig,
  settings,
} from '../../../packages/server/src/ops/config.ts';
import { Failure } from '../../../packages/server/src/primitives/failure.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const database = { DATABASE_URL: 'postgres://u:p@localhost:5432/d', SECRETS_KEY: key };

function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof Failure, `not a sentence for people: ${error}`);
    return error.message;
  }
  throw new Error(`taken: ${JSON.stringify(env)}`);
}

test('readConfig returns the defaults for an empty environment', () => {
  assert.deepEqual(readConfig({}), {
    PORT: 8080,
    HOST: '127.0.0.1',
    PUBLIC_URL: undefined,
    DATABASE_URL: undefined,
    DATABASE_CONNECTIONS: 12,
    DATABASE_DIRECT: 'no',
    DATA_DIR: './data',
    ALLOW_UNSAFE_DATABASE: 'no',
    SECRETS_KEY: undefined,
    TRUSTED_PROXIES: undefined,
    PROCESSES: 1,
    RATE_LIMIT: 1000,
    RATE_BURST: 2000,
    ITEM_RATE_LIMIT: 100_000,
    ITEM_RATE_BURST: 200_000,
    CALLER_TIMEOUT_MS: 30_000,
    MAX_CONNECTIONS: 10_000,
    BODIES_MIB: 64,
    ANSWERS_MIB: 128,
    REQUEST_DEADLINE_MS: 5000,
    DRAIN_MS: 0,
    LANE_BATCH: 512,
    LANE_QUEUE: 10_000,
    READ_QUEUE: 1000,
    JOB_QUOTA: 1000,
    JOB_QUOTA_MIB: 4096,
    SWEEP_BATCH: 250,
    SWEEP_PAUSE_MS: 1000,
    WORKER: 'on',
    WEBHOOK_ALLOW_PRIVATE: undefined,
    WEBHOOK_CONNECTIONS: 4000,
    WEBHOOK_TIMEOUT_MS: 15_000,
    WEBHOOK_RETRIES_S: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1000),
    EVENTS_KEPT_DAYS: 90,
    SESSION_IDLE_MIN: 15,
    SESSION_HOURS: 12,
    STAFF_MFA: undefined,
    STAFF_CONFIRMATION: undefined,
    APPROVAL_LIMITS: undefined,
    OIDC_ISSUER: undefined,
    OIDC_CLIENT_ID: undefined,
    OIDC_CLIENT_SECRET: undefined,
    INTERNAL_PORT: undefined,
    LOG_LEVEL: 'info',
  });
});

test('an empty setting counts as absent', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

test('whole numbers must consist of digits and be within their bounds', () => {
  const bounds: Record<string, [number, number]> = {
    PORT: [0, 65_535],
    INTERNAL_PORT: [0, 65_535],
    DATABASE_CONNECTIONS: [2, 500],
    RATE_LIMIT: [0, 1_000_000],
    RATE_BURST: [0, 1_000_000],
    CALLER_TIMEOUT_MS: [100, 600_000],
    MAX_CONNECTIONS: [10, 1_000_000],
    BODIES_MIB: [1, 1_000_000],
    ANSWERS_MIB: [8, 1_000_000],
    REQUEST_DEADLINE_MS: [100, 600_000],
    DRAIN_MS: [0, 600_000],
    LANE_BATCH: [1, 5000],
    LANE_QUEUE: [1, 1_000_000],
    READ_QUEUE: [1, 1_000_000],
    WEBHOOK_CONNECTIONS: [16, 1_000_000],
    WEBHOOK_TIMEOUT_MS: [100, 60_000],
    EVENTS_KEPT_DAYS: [1, 36_500],
  };
  for (const [name, [min, max]] of Object.entries(bounds)) {
    for (const value of [min, max]) {
      assert.equal(readConfig({ [name]: String(value) })[name as 'PORT'], value, `${name}=${value}`);
    }
    for (const value of [
      String(min - 1),
      String(max + 1),
      '1.5',
      '1e3',
      ' 1',
      '1 ',
      '0x10',
      'ten',
      '99999999999',
      '-0',
    ]) {
      assert.equal(refusal({ [name]: value }), `${name} must be a whole number from ${min} to ${max}.`);
    }
  }
});

test('word settings accept only known words', () => {
  for (const value of ['true', 'YES', '1']) {
    assert.equal(refusal({ ALLOW_UNSAFE_DATABASE: value }), 'ALLOW_UNSAFE_DATABASE must be one of yes, no.');
  }
  for (const value of ['yes', 'true', 'ON']) assert.equal(refusal({ WORKER: value }), 'WORKER must be one of on, off.');
  assert.equal(refusal({ WEBHOOK_ALLOW_PRIVATE: 'on' }), 'WEBHOOK_ALLOW_PRIVATE must be one of yes, no.');
  for (const value of ['yes', 'no'] as const) {
    assert.equal(readConfig({ WEBHOOK_ALLOW_PRIVATE: value }).WEBHOOK_ALLOW_PRIVATE, value);
  }
  assert.match(refusal({ LOG_LEVEL: 'verbose' }), /^LOG_LEVEL must be one of fatal, .*, silent\.$/);
});

test('WEBHOOK_RETRIES_S takes a short list of seconds', () => {
  const waits = (text: string) => readConfig({ WEBHOOK_RETRIES_S: text }).WEBHOOK_RETRIES_S;
  assert.deepEqual(waits('0'), [0]);
  assert.deepEqual(waits('0.05,1.5,9999999'), [50, 1500, 9_999_999_000]);
  assert.equal(waits(Array(50).fill('1').join(',')).length, 50);
  const wrong = [',', '1,', ',1', '1,,2', '1 ,2', '1;2', '-1', '1e3', '10000000', '0.0001', '.5', 'never'];
  for (const value of [...wrong, Array(51).fill('1').join(',')]) {
    const sentence = 'WEBHOOK_RETRIES_S must be up to 50 numbers of seconds, separated by commas.';
    assert.equal(refusal({ WEBHOOK_RETRIES_S: value }), sentence, value);
  }
});

test('TRUSTED_PROXIES takes networks and trusts no proxy by default', () => {
  assert.equal(readConfig({}).TRUSTED_PROXIES, undefined);
  assert.equal(readConfig({ TRUSTED_PROXIES: '' }).TRUSTED_PROXIES, undefined);
  assert.deepEqual(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,127.0.0.1' }).TRUSTED_PROXIES, [
    '10.0.0.0/8',
    'fd00::/8',
    '127.0.0.1',
  ]);
  for (const value of ['any', '10.0.0.1/8', '10.0.0.0/8,', 'nginx', '10.0.0.0/8;fd00::/8', '*']) {
    const sentence = 'TRUSTED_PROXIES must be networks such as 10.0.0.0/8,fd00::/8, with only zeros after each prefix.';
    assert.equal(refusal({ TRUSTED_PROXIES: value }), sentence, value);
  }
});

test('address settings refuse incomplete addresses', () => {
  const incomplete = ['bets.example.com', 'ftp://bets.example.com', 'http:', '//x'];
  const tooMuch = ['https://b.example?x=1', 'https://b.example/?', 'https://b.example/#x', 'https://u:p@b.example'];
  for (const value of [...incomplete, ...tooMuch]) {
    const sentence = 'PUBLIC_URL must be an http or https URL without a user, query or fragment.';
    assert.equal(refusal({ PUBLIC_URL: value }), sentence, value);
  }
  assert.equal(
    readConfig({ PUBLIC_URL: 'https://bets.example.com/base//' }).PUBLIC_URL,
    'https://bets.example.com/base',
  );
  const wrongPorts = ['abc', '-1', '65536', '5432&port=x'].map((text) => `postgres://u:p@localhost/d?port=${text}`);
  for (const value of ['mysql://localhost/x', 'localhost:5432', 'host=localhost', 'postgres://u@/d', ...wrongPorts]) {
    assert.match(refusal({ ...database, DATABASE_URL: value }), /^DATABASE_URL must be a URL such as postgres:/);
  }
  const inQuery = [
    'postgresql:///d?host=/run/postgresql',
    'postgres://u@localhost/d?port=5433',
    'postgres://u@localhost/d?port=',
  ];
  for (const DATABASE_URL of [database.DATABASE_URL, ...inQuery]) {
    assert.equal(readConfig({ ...database, DATABASE_URL }).DATABASE_URL, DATABASE_URL);
  }
  assert.equal(
    readConfig({ ...database, DATABASE_URL: 'postgres://u@/d?host=/run/postgresql' }).DATABASE_URL,
    'postgres://u@localhost/d?host=/run/postgresql',
  );
});

test('INTERNAL_PORT must differ from PORT unless the system chooses them', () => {
  const sentence = 'INTERNAL_PORT must differ from PORT.';
  assert.equal(refusal({ PORT: '9090', INTERNAL_PORT: '9090' }), sentence);
  assert.equal(refusal({ INTERNAL_PORT: '8080' }), sentence);
  assert.equal(readConfig({ PORT: '0', INTERNAL_PORT: '0' }).INTERNAL_PORT, 0);
});

test('SECRETS_KEY is 32 bytes in base64 and required with DATABASE_URL', () => {
  for (const value of [
    'secret',
    key.slice(1),
    `${key}=`,
    Buffer.alloc(31).toString('base64'),
    key.replace('=', ''),
    '0'.repeat(64),
  ]) {
    assert.match(refusal({ ...database, SECRETS_KEY: value }), /^SECRETS_KEY must be 32 bytes in base64/);
  }
  assert.match(refusal({ DATABASE_URL: database.DATABASE_URL }), /^SECRETS_KEY is required with DATABASE_URL/);
  assert.equal(readConfig(database).SECRETS_KEY, key);
  const several = `${key},${Buffer.alloc(32, 1).toString('base64')}`;
  assert.equal(readConfig({ ...database, SECRETS_KEY: several }).SECRETS_KEY, several);
  assert.match(refusal({ ...database, SECRETS_KEY: `${key},` }), /^SECRETS_KEY must be 32 bytes in base64/);
});

test('the error lists all wrong settings, one sentence each, without their values', () => {
  const message = refusal({ PORT: 'password1', LOG_LEVEL: 'password2', DATABASE_URL: 'password3' });
  assert.deepEqual(
    message.split('\n').map((line) => line.split(' ', 1)[0]),
    ['PORT', 'DATABASE_URL', 'LOG_LEVEL', 'SECRETS_KEY'],
  );
  assert.doesNotMatch(message, /password\d/);
});

test('.env.example is generated from the table of settings', () => {
  assert.equal(readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8'), envExample());
  for (const name of Object.keys(settings)) assert.match(envExample(), new RegExp(`^# ${name}=`, 'm'));
});

test('APPROVAL_LIMITS reads amounts in cents and refuses other text', () => {
  const limits = (text: string) => approvalLimitsOf(readConfig({ APPROVAL_LIMITS: text }));
  assert.deepEqual(
    [...limits('EUR:10000, USDT:5')],
    [
      ['EUR', 1_000_000],
      ['USDT', 500],
    ],
  );
  for (const text of ['EUR', 'EUR:', 'EUR:1.5', 'eur:1', 'EUR:-1', 'EUR:1,EUR:2', 'EUR:1,', ':1']) {
    assert.throws(() => limits(text), /APPROVAL_LIMITS must be amounts such as/, text);
  }
});

test('with the embedded database staff need no second factor and have approval limits', () => {
  const DATABASE_URL = 'postgres://db.example/freebets';
  const SECRETS_KEY = Buffer.alloc(32).toString('base64');
  const real = readConfig({ DATABASE_URL, SECRETS_KEY });
  for (const rule of ['STAFF_MFA', 'STAFF_CONFIRMATION'] as const) {
    assert.deepEqual([isRequired(readConfig({}), rule), isRequired(real, rule)], [false, true]);
    assert.equal(isRequired(readConfig({ [rule]: 'on' }), rule), true);
    assert.equal(isRequired({ ...real, [rule]: 'off' }, rule), false);
  }
  assert.deepEqual([approvalLimitsOf(readConfig({})).get('EUR'), approvalLimitsOf(real).size], [1_000_000, 0]);
});

test('single sign-on needs all of its settings and a protected issuer', () => {
  const all = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'freebets', OIDC_CLIENT_SECRET: 'secret' };
  assert.equal(readConfig(all).OIDC_CLIENT_ID, 'freebets');
  for (const name of Object.keys(all)) assert.throws(() => readConfig({ ...all, [name]: '' }), /must be set together/);
  for (const OIDC_ISSUER of ['http://login.example.com', 'ftp://login.example.com', 'login.example.com']) {
    assert.throws(() => readConfig({ ...all, OIDC_ISSUER }), /OIDC_ISSUER must be/);
  }
  assert.equal(readConfig({ ...all, OIDC_ISSUER: 'http://127.0.0.1:9000' }).OIDC_ISSUER, 'http://127.0.0.1:9000');
});
