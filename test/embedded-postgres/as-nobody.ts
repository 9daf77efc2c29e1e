/**
 * What a process of `nobody` can do to a database: it is run by root with a directory and a postmaster, becomes `nobody`, tries,
 * and says in one line of JSON what came of each attempt.
 */
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

const [dir = '', socketDir = '', pid = '0'] = process.argv.slice(2);

const attempts = {
  list: () => readdir(dir),
  read: () => readFile(join(dir, 'PG_VERSION')),
  environment: () => readFile(`/proc/${pid}/environ`),
  signal: async () => process.kill(Number(pid), 0),
  socket: () =>
    new Promise((resolve, reject) => connect(join(socketDir, '.s.PGSQL.5432'), () => resolve(1)).once('error', reject)),
  login: () => new pg.Client({ host: socketDir, user: 'freebets', database: 'postgres' }).connect(),
};

process.setgroups?.([]);
process.setgid?.(65534);
process.setuid?.(65534);
const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(attempts)) {
  outcomes[name] = await attempt().then(
    () => 'done',
    (error) => error.code,
  );
}
console.log(JSON.stringify(outcomes));
process.exit();
