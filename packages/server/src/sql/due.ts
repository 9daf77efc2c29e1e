import type { Connection } from '../db/connection.ts';
import { ask, named, type Statement } from '../db/statement.ts';
import { formatInstant, type WorldInstant } from '../domain/amounts.ts';
import { clientIdsOf } from './columns.ts';
import { firstExpiry } from './free-bets.ts';
import { isToCarryOut } from './job-work.ts';

// Which partners the work in the background has to ask about. Whoever gives it something to do wakes the partner in the same
// transaction; a partner is put to sleep under the lock on its row, by what is then committed.

/** How long a partner stays awake that was woken by a change, in real time. */
export const awakeForMs = 120_000;
/** For as long is looked whether there is anything to do, before a partner goes to sleep again. */
const lookAgainMs = 10_000;

/** Whoever has something to do is among them. */
export const awakeIds = 'SELECT client_id FROM due WHERE awake_until IS NOT NULL';

/** Those, and whom nobody has woken yet though it is time. */
export const wokenOrDueIds = `${awakeIds} UNION ALL SELECT client_id FROM due WHERE wake_at <= (SELECT service_now())`;

const wake = named(
  'wake_partner',
  `INSERT INTO due AS d (client_id, awake_until) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')
   ON CONFLICT (client_id) DO UPDATE SET awake_until = greatest(d.awake_until, excluded.awake_until), wake_at = NULL`,
);

/** For the transaction that gives the work in the background something to do. */
export const wakePartner = (clientId: number): Statement => wake([clientId, awakeForMs]);

export interface Awake {
  clientIds: number[];
  /** Of these, those that may go to sleep. */
  tired: number[];
  /** There are some to be woken. */
  isAnyDue: boolean;
}

const selectAwake = named(
  'awake_partners',
  `SELECT coalesce(array_agg(client_id), '{}') AS client_ids,
     coalesce(array_agg(client_id) FILTER (WHERE awake_until < clock_timestamp()), '{}') AS tired,
     coalesce((SELECT wake_at FROM due WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1) <= service_now(), false) AS is_any_due
   FROM due WHERE awake_until IS NOT NULL`,
  ([row]: { client_ids: number[]; tired: number[]; is_any_due: boolean }[]): Awake => ({
    clientIds: row?.client_ids ?? [],
    tired: row?.tired ?? [],
    isAnyDue: row?.is_any_due ?? false,
  }),
);

export const findAwake = (): Statement<Awake> => selectAwake();

const wakeUp = named(
  'wake_due_partners',
  `UPDATE due SET awake_until = clock_timestamp() + ${lookAgainMs} * interval '1 ms', wake_at = NULL
   WHERE client_id = ANY (ARRAY(
     SELECT client_id FROM due WHERE wake_at <= (SELECT service_now()) ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING client_id`,
  clientIdsOf,
);

/** Those whose time has come, so many at most. */
export const wakeDuePartners = (limit: number): Statement<number[]> => wakeUp([limit]);

// Of each partner `p`: whether there is something to do, and when there will be, in world time. A disabled one is neither sent events
// nor are its jobs carried out.
const needs = `
  SELECT p.client_id,
    coalesce(h.last_sequence, 0) > coalesce(a.position, 0)
      OR coalesce(w.attempted_through < h.last_sequence, false) OR w.lease_holder IS NOT NULL AS has_work,
    least(
      ${firstExpiry('p.client_id')} - c.ahead,
      (SELECT j.begins_at FROM jobs j
       WHERE j.client_id = p.client_id AND ${isToCarryOut('j')} AND NOT e.is_disabled
       ORDER BY j.begins_at LIMIT 1) - c.ahead,
      (SELECT d.next_attempt_at FROM webhook_deliveries d
       WHERE d.client_id = p.client_id AND d.state = 'waiting' AND w.client_id IS NOT NULL
       ORDER BY d.next_attempt_at LIMIT 1)) AS next_at,
    service_now() AS world_now
  FROM unnest($1::int[]) AS p(client_id)
  CROSS JOIN LATERAL (
    SELECT coalesce((SELECT s.ahead FROM sandbox_clocks s WHERE s.client_id = p.client_id), interval '0') AS ahead) c
  CROSS JOIN LATERAL (
    SELECT EXISTS (SELECT FROM partners x WHERE x.client_id = p.client_id AND x.disabled_at IS NOT NULL) AS is_disabled) e
  LEFT JOIN event_heads h ON h.client_id = p.client_id
  LEFT JOIN activity_heads a ON a.client_id = p.client_id
  LEFT JOIN webhooks w ON w.client_id = p.client_id AND w.off_at IS NULL AND NOT e.is_disabled`;

interface Needs {
  client_id: number;
  has_work: boolean;
  next_at: WorldInstant | null;
  world_now: WorldInstant;
}

const selectNeeds = named<Needs>('needs_of_partners', needs);

const lockTired = named(
  'lock_tired_partners',
  `SELECT client_id FROM due WHERE client_id = ANY ($1::int[]) AND awake_until < clock_timestamp()
   ORDER BY client_id FOR UPDATE SKIP LOCKED`,
  clientIdsOf,
);
// Who had one of these, and only hung, finds it another's: it must not write down what is to be tried again of a partner that sleeps.
// Whoever changes the webhook has its row first, and may wait for the row that is locked here.
const endLeases = named(
  'end_webhook_leases',
  `UPDATE webhooks SET lease_holder = NULL, leased_until = NULL WHERE client_id = ANY (ARRAY(
     SELECT client_id FROM webhooks WHERE client_id = ANY ($1::int[]) AND leased_until <= clock_timestamp()
     FOR UPDATE SKIP LOCKED))`,
);
const stayAwake = named(
  'keep_partners_awake',
  `UPDATE due SET awake_until = clock_timestamp() + ${lookAgainMs} * interval '1 ms' WHERE client_id = ANY ($1::int[])`,
);
const sleep = named(
  'let_partners_sleep',
  `UPDATE due SET awake_until = NULL, wake_at = ($2::timestamptz[])[array_position($1::int[], client_id)]
   WHERE client_id = ANY ($1::int[])`,
);
const remove = named('forget_partners_due', 'DELETE FROM due WHERE client_id = ANY ($1::int[])');

/**
 * In a transaction. Those that have nothing to do sleep until they have, and where that is never, nothing is kept. What they have is
 * read behind the lock on their rows: who gives them something to do at this moment has the lock, or waits for it and wakes them.
 */
export async function putToSleep(connection: Connection, clientIds: readonly number[]): Promise<void> {
  const tired = await ask(connection, lockTired([clientIds]));
  await ask(connection, endLeases([tired]));
  const found = await ask(connection, selectNeeds([tired]));
  const isBusy = ({ has_work, next_at, world_now }: Needs) => has_work || (next_at !== null && next_at <= world_now);
  const idle = found.filter((each) => !isBusy(each));
  const later = idle.filter(({ next_at }) => next_at !== null);
  await ask(connection, stayAwake([clientIdsOf(found.filter(isBusy))]));
  await ask(connection, sleep([clientIdsOf(later), later.map(({ next_at }) => formatInstant(next_at as number))]));
  await ask(connection, remove([clientIdsOf(idle.filter(({ next_at }) => next_at === null))]));
}

const selectPartners = named(
  'partners_to_survey',
  'SELECT client_id FROM partners WHERE client_id > $1 ORDER BY client_id LIMIT $2',
  clientIdsOf,
);

// They are tired at once, and so put to sleep by the way that everybody takes.
const wakeMissed = named(
  'wake_missed_partners',
  `INSERT INTO due (client_id, awake_until)
   SELECT n.client_id, clock_timestamp() FROM (${needs}) n LEFT JOIN due d ON d.client_id = n.client_id
   WHERE d.awake_until IS NULL AND (n.has_work OR n.next_at < coalesce(d.wake_at, 'infinity'))
   ORDER BY n.client_id
   ON CONFLICT (client_id) DO UPDATE SET awake_until = excluded.awake_until, wake_at = NULL WHERE due.awake_until IS NULL`,
);

/** One step of a survey: wakes those that have something to do, though nobody has woken them. The last that was asked about. */
export async function surveyPartners(
  connection: Connection,
  after: number,
  limit: number,
): Promise<number | undefined> {
  const clientIds = await ask(connection, selectPartners([after, limit]));
  if (clientIds.length > 0) await ask(connection, wakeMissed([clientIds]));
  return clientIds.at(-1);
}
