import pg from 'pg';

// Databases on the Citus cluster of CITUS_URL: a database of its coordinator with all nodes added, and a superuser.
// Each test file has a database on every node, cloned there from a distributed one.

interface Machine {
  nodename: string;
  nodeport: number;
}

const urlOn = (url: string, { nodename, nodeport }: Machine, database: string): string => {
  const found = new URL(url);
  found.hostname = nodename;
  found.port = String(nodeport);
  found.pathname = `/${database}`;
  return found.href;
};

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The coordinator first. */
const machinesOf = (url: string): Promise<Machine[]> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<Machine>('SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid');
    return rows;
  });

const everywhere = async (url: string, statements: string[]): Promise<void> => {
  const work = async (machine: Machine) => {
    await onDatabase(urlOn(url, machine, 'postgres'), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  };
  await Promise.all((await machinesOf(url)).map(work));
};

/** A role that can log in to every node and has no other rights. */
export const createRole = (url: string, name: string): Promise<void> => everywhere(url, [`CREATE ROLE ${name} LOGIN`]);
export const dropRole = (url: string, name: string): Promise<void> => everywhere(url, [`DROP ROLE ${name}`]);

/** An empty database on all nodes, with the nodes added to each other. */
export async function createJoined(url: string, name: string, owner?: string): Promise<string> {
  const create = `CREATE DATABASE ${name}${owner === undefined ? '' : ` OWNER ${owner}`}`;
  await everywhere(url, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, create]);
  const machines = await machinesOf(url);
  for (const machine of machines) {
    await onDatabase(urlOn(url, machine, name), (client) => client.query('CREATE EXTENSION citus'));
  }
  const [coordinator, ...workers] = machines as [Machine, ...Machine[]];
  await onDatabase(urlOn(url, coordinator, name), async (client) => {
    const at = ({ nodename, nodeport }: Machine) => [nodename, nodeport];
    await client.query('SELECT citus_set_coordinator_host($1, $2)', at(coordinator));
    for (const worker of workers) await client.query('SELECT citus_add_node($1, $2)', at(worker));
  });
  return urlOn(url, coordinator, name);
}

/** Ends all connections and refuses new ones, so that the database can be cloned. */
export const closeToAll = (url: string, name: string): Promise<void> =>
  everywhere(url, [
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
  ]);

export async function cloneEverywhere(url: string, name: string, template: string): Promise<string> {
  await everywhere(url, [`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`]);
  const [coordinator] = await machinesOf(url);
  return urlOn(url, coordinator as Machine, name);
}

export const dropEverywhere = (url: string, name: string): Promise<void> =>
  everywhere(url, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]);
