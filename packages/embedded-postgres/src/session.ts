/**
 * Who uses the database is known to PostgreSQL itself, by session advisory locks on one connection each, for they vanish with
 * their process, however it ends. Every user holds "users" shared; a server besides holds "server" alone. Who holds
 * "users" alone is the last one out, and stops the database; whoever comes meanwhile is turned away and comes again.
 * Nobody ever waits for a lock, so nobody can hold up a running server. The locks live in the database `postgres`,
 * for advisory locks of different databases do not meet. Correctness of the service never rests on them.
 */
import pg from 'pg';
import { type Cluster, SUPERUSER } from './cluster.ts';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { isAlive } from './processes.ts';
import { checkSocketDir, PORT } from './socket-dir.ts';

export type Use = 'serve' | 'command';

export const DATABASE = 'freebets';

/** "free" in ASCII; the class of our locks. */
const LOCKS = 0x66_72_65_65;
const USERS = 1;
const SERVER = 2;

const CONNECT_MS = 5_000;

/** A connection, or why there is none: nobody listens, or the database is on its way up or down. */
export type Contact = { client: pg.Client } | { client?: undefined; because: 'absent' | 'busy' };

/** What came of asking for the locks. `taken` names the process that serves, if it is still to be found. */
export type Claim = 'granted' | 'stopping' | { taken: number | undefined };

export async function connect(cluster: Cluster, use: Use): Promise<Contact> {
  const client = new pg.Client({
    host: cluster.socketDir,
    port: PORT,
    user: SUPERUSER,
    database: 'postgres',
    ssl: false,
    application_name: `freebets ${use} ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  });
  // A lost connection is noticed by its 'end', and by the failure of what was asked.
  client.on('error', () => undefined);
  try {
    await checkSocketDir(cluster.socketDir, cluster.dir, cluster.owner);
    await client.connect();
    return { client };
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    return { because: reasonFor(error, cluster) };
  }
}

function reasonFor(error: unknown, cluster: Cluster): 'absent' | 'busy' {
  if (saysStopping(error)) return 'busy';
  if (isBroken(error) || codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED') return 'absent';
  const text = `The database in ${cluster.dir} turns us away: ${sentence(messageOf(error))}`;
  throw new EmbeddedError(text, { cause: error });
}

/** 57014 is what a stop says to those it meets in the midst of logging in ("canceling authentication due to timeout"). */
function saysStopping(error: unknown): boolean {
  return /^(57P0[123]|57014)$/.test(codeOf(error) ?? '');
}

/** Whether this tells of a connection that broke off, as when the database is stopped or killed, and not of a refusal. */
export function isBroken(error: unknown): boolean {
  if (saysStopping(error) || /^(ECONNRESET|EPIPE)$/.test(codeOf(error) ?? '')) return true;
  return /^Connection terminated|^timeout expired|not queryable$/.test(messageOf(error));
}

export async function claim(client: pg.Client, use: Use): Promise<Claim> {
  if (!(await ask(client, 'pg_try_advisory_lock_shared', USERS))) return 'stopping';
  if (use === 'command' || (await ask(client, 'pg_try_advisory_lock', SERVER))) return 'granted';
  return { taken: await serverPid(client) };
}

/** Gives up the own locks. For the last user, who then holds "users" alone, it names the postmaster, to be stopped. */
export async function giveUp(client: pg.Client): Promise<{ postmaster?: number }> {
  await client.query('select pg_advisory_unlock_all()');
  if (!(await ask(client, 'pg_try_advisory_lock', USERS))) return {};
  const { rows } = await client.query(`select pg_read_file('postmaster.pid') as file`);
  return { postmaster: Number.parseInt(rows[0].file, 10) };
}

async function ask(client: pg.Client, verb: string, lock: number): Promise<boolean> {
  const { rows } = await client.query(`select ${verb}($1::int, $2::int) as granted`, [LOCKS, lock]);
  return rows[0].granted;
}

/** The process that serves. One killed a moment ago may still show here: it is not named, and its lock is soon gone. */
async function serverPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and classid = $1 and objid = $2`,
    [LOCKS, SERVER],
  );
  const pid = Number(/\d+$/.exec(rows[0]?.name ?? '')?.[0] ?? 0);
  return pid > 0 && (await isAlive(pid)) ? pid : undefined;
}

/** Two first starts may do this at once, and one of them then fails on the name, in one of two ways. */
export async function createDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select from pg_database where datname = $1', [DATABASE]);
  if (rows.length > 0) return;
  await client.query(`create database ${DATABASE}`).catch((error) => {
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error;
  });
}
