import { Type } from 'typebox';
import { closed, nullable } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';

// How the service is doing: of the server that answers, and of the database that all of them share. Nothing in it belongs to a
// partner, so that everybody of the staff may see it.

const count = (description: string) => Type.Integer({ minimum: 0, description });
const measure = (description: string) => Type.Number({ minimum: 0, description });

const Pool = closed({
  open: count('Connections there are.'),
  idle: count('Of these, without work.'),
  waiting: count('Pieces of work that wait for one.'),
  most: count('As many as there may be.'),
});

export const SystemGetResponse = closed({
  version: Type.String(),
  uptime_s: count('Of this server.'),
  memory: closed({ resident_bytes: count('Of the process.'), heap_bytes: count('In use.') }),
  requests: closed({
    per_second: measure('Over the last ten seconds, of this server, as all that follows up to the lanes.'),
    p50_ms: nullable(measure('Half were answered within it; null without requests.')),
    p99_ms: nullable(measure('All but one in a hundred were.')),
  }),
  lanes: closed({
    depth: count('Commands that wait.'),
    batches_per_second: measure('Over the last ten seconds.'),
    mean_size: nullable(measure('Commands in a batch.')),
    last_size: nullable(count('Of the latest batch, whenever it was.')),
    load_ms: nullable(measure('To lock, load and decide a batch, on the average.')),
    commit_ms: nullable(measure('To write and commit it.')),
  }),
  database: closed({
    is_up: Type.Boolean(),
    version: nullable(Type.String()),
    size_bytes: nullable(count('Of all that is stored.')),
    connections: Type.Record(Type.String(), Pool, { description: 'Of this server, by what they are for.' }),
  }),
  webhooks: nullable(
    closed({
      waiting: count('Events that webhooks have still to receive.'),
      oldest_s: measure('Age of the oldest of them; 0 where there is none.'),
    }),
  ),
  sweeper: nullable(
    closed({ overdue: count('Free bets that have expired and are not written down yet; of a partner 1000 at most.') }),
  ),
  jobs: closed({ running: count('That this server carries out.') }),
  activity: closed({ lag_s: nullable(measure('How far the figures by the hour are behind.')) }),
});
export type SystemGetResponse = Type.Static<typeof SystemGetResponse>;

export const systemOperations = {
  SystemGet: {
    tag: 'System',
    summary: 'How the service is doing; at most a second old',
    request: closed({}),
    response: SystemGetResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
