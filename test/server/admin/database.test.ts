import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { migrations } from '../../../packages/server/src/ops/schema/migrations.ts';
import { makeStage } from '../../embedded-postgres/stage.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { databaseUrl, testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { runCommand, serverProcess, surroundings, testServer } from '../../support/server.ts';
import { stopwatch, until } from '../../support/waiting.ts';
import { listFile } from './job-lists.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env, sql } = await testDatabase('empty');
const newest = migrations.at(-1)?.name;

test('before a migration every command says what to run and changes nothing', async () => {
  const commands = [['client', 'list'], ['demo'], ['catalogue', 'export'], ['provider', 'disable', 'x'], ['listen']];
  for (const args of commands) {
    assert.equal(
      await fails({ ...env, WEBHOOK_ALLOW_PRIVATE: 'yes' }, ...args),
      'The database has no schema yet: run "freebets migrate", or start the server.',
      args.join(' '),
    );
  }
  const { rows } = await sql.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`);
  assert.deepEqual(rows, []);
});

test('migrate creates the schema, lists what it ran, and loads no data', async () => {
  const names = migrations.map(({ name }) => name);
  assert.equal(
    await succeeds(env, 'migrate'),
    `${names.map((name) => `Ran ${name}.\n`).join('')}The schema is up to date (${newest}).\n`,
  );
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest, ran: [] });
  const { rows } = await sql.query('SELECT name FROM migrations ORDER BY 1');
  assert.deepEqual(
    rows.map(({ name }) => name),
    names,
  );
  const { rows: partners } = await sql.query('SELECT 1 FROM partners UNION ALL SELECT 1 FROM games');
  assert.deepEqual(partners, []);
});

test('commands of a newer version leave the schema alone; migrate and serve update it', async () => {
  const goBack = () =>
    sql.query(
      `DELETE FROM migrations WHERE name = '${newest}';
       CREATE TABLE job_quotas (client_id int PRIMARY KEY)`,
    );
  await goBack();
  assert.equal(
    await fails(env, 'client', 'list'),
    `The database has an older schema (not run yet: ${newest}): run "freebets migrate", or start the server.`,
  );
  const { rows } = await sql.query('SELECT FROM migrations WHERE name = $1', [newest]);
  assert.equal(rows.length, 0, 'it was not run');
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest, ran: [newest] });
  await goBack();
  assert.equal(await (await serverProcess(env)).end('SIGTERM'), 0);
  assert.equal(
    await succeeds(env, 'client', 'list'),
    'CLIENT_ID  NAME  STATE  CREATED  KIND  SECRETS  STAKE  WEBHOOK  SIGNING  FROM  OFFERED\n',
  );
});

test('demo loads partners, providers, games and people, and a second run changes nothing', async () => {
  const people = ['admin', 'manager', 'auditor', 'second', 'support'].map((name) => `${name}@demo.example`);
  const partners = ['partner 1', 'partner 2'];
  // Loads people only with --with-staff, because their password is public.
  assert.deepEqual(await succeedsWith(env, 'demo'), { added: partners, left: [], staff: false });
  assert.deepEqual((await sql.query('SELECT FROM staff')).rows, []);
  assert.match(
    await succeeds(env, 'demo'),
    /The demo staff were not added, because their password is public\. .* --with-staff/,
  );
  assert.deepEqual(await succeedsWith(env, 'demo', '--with-staff'), { added: people, left: [], staff: true });
  const state = async () =>
    (
      await sql.query(
        'SELECT p::text FROM partners p UNION ALL SELECT g::text FROM games g UNION ALL SELECT s::text FROM staff s UNION ALL SELECT v::text FROM providers v ORDER BY 1',
      )
    ).rows;
  assert.equal((await state()).length, 2 + 41 + 5 + 3);
  // Keeps later changes to the demo data.
  const catalogue = await succeedsWith(env, 'catalogue', 'export');
  const [{ games, currencies }] = catalogue.providers;
  games.push({ ...games[0], id: 'one-more' });
  currencies.push('SEK');
  await succeeds(env, 'catalogue', 'import', listFile(JSON.stringify(catalogue), 'json'));
  const before = await state();
  assert.match(await succeeds(env, 'demo', '--with-staff'), /nothing new.*\n.*everyone who can reach this service/);
  assert.deepEqual(await state(), before);
  const { url } = await testServer(env);
  for (const partner of [demo, rival]) accepted('Issue', await call(url, 'Issue', directIssue(), partner));
});

test('demo does not change a provider that only has the name of a demo provider', async () => {
  const { env, sql } = await testDatabase('empty');
  await succeeds(env, 'migrate');
  await succeeds(env, 'provider', 'create', '--name', 'Lantern Quay', '--currencies', 'GBP');
  const provider = async () => (await sql.query(`SELECT * FROM providers WHERE name = 'Lantern Quay'`)).rows;
  const before = await provider();
  const left = ['Lantern Quay'];
  const loaded = { added: ['partner 1', 'partner 2'], left, staff: false };
  assert.deepEqual(await succeedsWith(env, 'demo'), loaded);
  assert.match(await succeeds(env, 'demo'), /^Not added, .* and another secret exists: Lantern Quay\.$/m);
  assert.deepEqual(await provider(), before);
  const { rows } = await sql.query(
    `SELECT (SELECT count(*)::int FROM games WHERE provider_id = 'lantern-quay') AS games,
       (SELECT count(*)::int FROM offers WHERE provider_id = 'lantern-quay') AS offers`,
  );
  assert.deepEqual(rows, [{ games: 0, offers: 0 }]);
  const [first] = await succeedsWith(env, 'client', 'list');
  assert.deepEqual(first.offers, ['copper-heron', 'velvet-anvil']);
});

test('a distributed database copied to one machine is refused until migrate --undistribute has run', async () => {
  const { env, sql } = await testDatabase();
  await sql.query(`CREATE OR REPLACE FUNCTION due_slot(client int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(('{3,5}'::int[])[1], client) $$;
    INSERT INTO due_partners (slot, client_id, awake_until) VALUES (3, 1, now())`);
  for (const command of [['serve'], ['migrate'], ['client', 'list']]) {
    assert.equal(
      await fails(env, ...command),
      'The tables were distributed, but no longer are: run "freebets migrate --undistribute".',
    );
  }
  assert.match(await succeeds(env, 'migrate', '--undistribute'), /^All tables are on one machine\.$/m);
  const { rows } = await sql.query('SELECT due_slot(1) AS slot, (SELECT count(*)::int FROM due_partners) AS due');
  assert.deepEqual(rows, [{ slot: 0, due: 0 }]);
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest, ran: [] });
  assert.equal(
    await fails(env, 'migrate', '--distribute', '--undistribute'),
    "--distribute and --undistribute can't be combined.",
  );
});

test('a database migrated by a newer version is refused, naming the migration', async () => {
  await sql.query(`INSERT INTO migrations (name, compatible) VALUES ('0099_of_tomorrow.sql', true)`);
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest, ran: [] }, 'a compatible one does not matter');
  await succeeds(env, 'client', 'list');
  await sql.query(`UPDATE migrations SET compatible = false WHERE name = '0099_of_tomorrow.sql'`);
  assert.match(await fails(env, 'client', 'list'), /newer version \(0099_of_tomorrow\.sql\)/);
  assert.match(await fails(env, 'serve'), /newer version \(0099_of_tomorrow\.sql\)/);
  await sql.query(`DELETE FROM migrations WHERE name = '0099_of_tomorrow.sql'`);
});

test('every command reports a changed migration and runs nothing', async () => {
  const { name } = migrations[2] ?? assert.fail();
  const { rows } = await sql.query('SELECT checksum FROM migrations WHERE name = $1', [name]);
  await sql.query(`UPDATE migrations SET checksum = repeat('0', 64) WHERE name = $1`, [name]);
  for (const command of [['migrate'], ['client', 'list'], ['serve']]) {
    assert.equal(
      await fails(env, ...command),
      `The database was migrated with a different text of ${name}: run the version that migrated it.`,
    );
  }
  await sql.query('UPDATE migrations SET checksum = $2 WHERE name = $1', [name, rows[0].checksum]);
});

test('a database that may lose commits is refused unless a setting allows it', async () => {
  const careful = { ...env, ALLOW_UNSAFE_DATABASE: 'no' };
  for (const command of ['serve', 'migrate', 'demo']) {
    const message = await fails(careful, command);
    assert.match(message, /fsync is off/);
    assert.match(message, /ALLOW_UNSAFE_DATABASE=yes/);
  }
});

test('a database that fails during a command is reported in one sentence', async () => {
  const { env, sql } = await testDatabase();
  const holding = await sql.connect();
  try {
    await holding.query('BEGIN');
    await holding.query('SELECT FROM partners WHERE client_id = 1 FOR UPDATE');
    const said = fails(env, 'client', 'disable', '1');
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'freebets command' AND wait_event_type = 'Lock'`;
    await until('it waits', 20_000, async () => (await sql.query(end)).rows.length > 0);
    assert.equal(
      await said,
      'The database could not complete the command (terminating connection due to administrator command). Check its effects before you try again.',
    );
  } finally {
    await holding.query('ROLLBACK');
    holding.release();
  }
});

test('an unreachable database is reported in one sentence without the password', async () => {
  const socketDir = new URL(env.DATABASE_URL ?? '').searchParams.get('host') ?? '';
  const unreachable = [
    'postgres://freebets:the-password@127.0.0.1:1/freebets',
    `${databaseUrl(socketDir, 'no_such_database')}&password=the-password`,
    'postgres://freebets:the-password@no-such-host.invalid/freebets',
  ];
  for (const DATABASE_URL of unreachable) {
    const message = await fails({ ...env, DATABASE_URL }, 'serve');
    assert.match(message, /^The database cannot be reached: \S+/);
    assert.doesNotMatch(message, /the-password/);
  }
  assert.match(await fails({ ...env, DATABASE_URL: unreachable[0] ?? '' }, 'client', 'list'), /cannot be reached/);
});

test('migrate --wait stops waiting for a silent database after its timeout', async () => {
  const DATABASE_URL = await falseDatabase(() => {});
  const tookMs = stopwatch();
  assert.match(await fails({ ...env, DATABASE_URL }, 'migrate', '--wait', '1'), /^The database cannot be reached: /);
  assert.ok(tookMs() < 5000, `${tookMs()} ms`);
});

test('a database that asks for a missing password is reported', async () => {
  const authentication = (kind: number, text: string) => {
    const body = Buffer.concat([Buffer.alloc(4), Buffer.from(text)]);
    body.writeInt32BE(kind);
    const head = Buffer.from('R....');
    head.writeInt32BE(4 + body.length, 1);
    return Buffer.concat([head, body]);
  };
  const DATABASE_URL = await falseDatabase((socket) => {
    // As PostgreSQL begins with SCRAM: its mechanisms, and then what the password is to be mixed with.
    socket.once('data', () => {
      socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096')));
    });
  });
  for (const args of [['serve'], ['client', 'list'], ['migrate', '--wait', '0']]) {
    assert.equal(
      await fails({ ...env, DATABASE_URL }, ...args),
      'The database requires a password: add it to DATABASE_URL, as postgres://user:password@….',
    );
  }
});

test('a pooler that shares connections between clients is refused', async () => {
  const { env } = await testDatabase();
  const url = new URL(env.DATABASE_URL ?? '');
  const shared = connect(`${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port') ?? 5432}`);
  shared.on('error', () => {});
  after(() => shared.destroy());
  let isFirst = true;
  let asking: Socket | undefined;
  shared.on('data', (bytes) => asking?.write(bytes));
  const pass = (socket: Socket) =>
    socket.on('data', (bytes) => {
      asking = socket;
      shared.write(bytes);
    });
  const address = await falseDatabase((socket) => {
    if (isFirst) pass(socket);
    // Later connections are accepted and ready.
    else socket.once('data', () => pass(socket).write('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I'));
    isFirst = false;
  });
  assert.equal(
    await fails({ ...env, DATABASE_URL: `${address.replace(/[^/]*$/, '')}${url.pathname.slice(1)}` }, 'serve'),
    'The database is behind a pooler in transaction mode, which is not supported: connect directly, or through a pooler in session mode.',
  );
});

/** The address, without a password, of something that takes connections as a database does. */
async function falseDatabase(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  after(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(listener, 'listening');
  return `postgres://freebets@127.0.0.1:${(listener.address() as AddressInfo).port}/freebets`;
}

test('commands do not create a missing embedded database, or a key for an existing one', async (t) => {
  const { dataDir, postmaster } = await makeStage(t);
  for (const args of [['client', 'list'], ['demo'], ['catalogue', 'export']]) {
    assert.equal(
      await fails({ DATA_DIR: dataDir }, ...args),
      `There is no database in ${dataDir} yet: start the server first (npm start), or set DATA_DIR to its folder.`,
    );
  }
  assert.equal(existsSync(dataDir), false);
  assert.equal((await succeedsWith({ DATA_DIR: dataDir }, 'migrate')).ran.length, migrations.length);
  assert.deepEqual(await succeedsWith({ DATA_DIR: dataDir }, 'client', 'list'), [], 'the demo comes with the server');

  const key = join(dataDir, 'secrets.key');
  for (const name of readdirSync(dataDir)) {
    assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, `${name} is open to its owner only`);
  }
  renameSync(key, `${key}.elsewhere`);
  for (const args of [['client', 'list'], ['migrate'], ['serve']]) {
    assert.equal(
      await fails({ DATA_DIR: dataDir }, ...args),
      `${key} is missing. It holds the key for the secrets in the database: copy it from the source of the database or its backup, or set SECRETS_KEY to its content.`,
    );
    assert.equal(existsSync(key), false, 'another key is not made');
    assert.equal(await postmaster(), undefined, 'nothing is left running');
  }
  mkdirSync(key);
  assert.match(await fails({ DATA_DIR: dataDir }, 'client', 'list'), /secrets\.key cannot be read: EISDIR/);
  rmdirSync(key);
  renameSync(`${key}.elsewhere`, key);
  await succeeds(
    { DATA_DIR: dataDir, PUBLIC_URL: 'https://bets.example' },
    'staff',
    'invite',
    'a@b.example',
    '--role',
    'support',
  );
  // The server runs but does not respond. Disabling a person works without it.
  writeFileSync(join(dataDir, 'server.json'), JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid }));
  assert.equal(await succeeds({ DATA_DIR: dataDir }, 'staff', 'disable', 'a@b.example'), 'a@b.example is disabled.\n');
});

const cli = (name: string) => new URL(`../../../packages/server/src/admin/${name}.ts`, import.meta.url).href;

/** Two commands by a user other than root. Root becomes `nobody` after everything is loaded, because `nobody` may be unable to read it. */
const asNobody = `
  const { runCli } = await import('${cli('program')}');
  const { processTerminal } = await import('${cli('terminal')}');
  await Promise.all(['${cli('lists')}', '${cli('listen')}'].map((path) => import(path)));
  if (process.getuid() === 0) process.setuid(65534);
  await runCli(['client', 'list'], processTerminal(process.env));
  process.exitCode = await runCli(['listen'], processTerminal(process.env));
`;

test("a user who can't read the data directory does not get the message that there is no database", async (t) => {
  const { dataDir } = await makeStage(t);
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  chmodSync(dataDir, 0);
  const env = { ...surroundings, DATA_DIR: dataDir };
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', asNobody], { env });
  chmodSync(dataDir, 0o700);
  const sentence = `The folder ${dataDir} cannot be read by this user: run the command as the user who runs the server, or as root, or set DATA_DIR to another folder.\n`;
  assert.deepEqual([stderr.toString(), status], [sentence.repeat(2), 1]);
});

test('the server and every command that encrypts refuse a wrong SECRETS_KEY', async () => {
  const wrong = { ...env, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  const before = (await sql.query('SELECT p::text FROM partners p ORDER BY 1')).rows;
  for (const args of [['serve'], ['client', 'create', '--name', 'X'], ['client', 'rotate-secret', '1']]) {
    assert.match(await fails(wrong, ...args), /do not open with this SECRETS_KEY/);
  }
  assert.deepEqual((await sql.query('SELECT p::text FROM partners p ORDER BY 1')).rows, before);
  // Secrets of disabled callers are encrypted too.
  const setDisabled = async (at: string) => {
    for (const table of ['partners', 'providers']) await sql.query(`UPDATE ${table} SET disabled_at = ${at}`);
  };
  await setDisabled('now()');
  for (const args of [['serve'], ['client', 'create', '--name', 'X']]) {
    assert.match(await fails(wrong, ...args), /do not open with this SECRETS_KEY/);
  }
  await succeeds(env, 'client', 'list');
  await setDisabled('NULL');
});

test('a lost master key is replaced per caller, and an unreadable secret affects only its owner', async () => {
  const renewed = { ...env, SECRETS_KEY: Buffer.alloc(32, 2).toString('base64') };
  await succeeds(renewed, 'client', 'rotate-secret', '1', '--lost-key');
  assert.match(await fails(renewed, 'client', 'rotate-secret', '2'), /partner 2 cannot be decrypted with SECRETS_KEY/);
  await succeeds(renewed, 'client', 'rotate-secret', '2', '--lost-key');
  const { rows } = await sql.query('SELECT previous_secret FROM partners');
  assert.ok(rows.every((row) => row.previous_secret === null));
  const { rows: providers } = await sql.query('SELECT provider_id FROM providers');
  for (const { provider_id } of providers)
    await succeeds(renewed, 'provider', 'rotate-secret', provider_id, '--lost-key');
  await sql.query(`UPDATE staff SET totp_secret = '\\x00', totp_since = now() WHERE email_key = 'admin@demo.example'`);
  const { stdout, code } = await runCommand(renewed, 'keys', 'rotate');
  assert.match(stdout, /^No given key decrypts these secrets, so they were left unchanged: staff \S+\.$/m);
  assert.equal(code, 1);
  await succeeds(renewed, 'staff', 'reset-mfa', 'admin@demo.example');
  assert.match(await succeeds(renewed, 'keys', 'rotate'), /^All secrets can be decrypted with this key alone\.$/m);
  const server = await serverProcess(renewed);
  assert.equal(await server.end('SIGTERM'), 0);
});
