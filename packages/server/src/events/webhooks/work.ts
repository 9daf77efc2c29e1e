import { randomUUID } from 'node:crypto';
import { type ActiveWorkResources, inGroups, keepRuns, startRounds } from '../../background/runner.ts';
import { groupsByNode, hasManyNodes, type NodeGroup, oneNodeAtATime, poolFor } from '../../engine/connection.ts';
import type { BackgroundWork } from '../../engine/repeat.ts';
import type { Signal } from '../../primitives/signal.ts';
import { type Courier, type CourierResources, type CourierSettings, startCourier } from './courier.ts';
import { findFreeWebhooks, findWebhookWork } from './sql/courier.ts';

// Starts a courier for every webhook with work, on one of the servers. Each server polls for webhooks that no other
// server has leased. The server that commits an event needs no poll, and usually delivers the event.

export interface DeliveryResources extends Omit<ActiveWorkResources, 'onFault'>, Omit<CourierResources, 'pool'> {
  /** This server has committed a change of a partner, which may have emitted events. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
}

const pollMs = 100;
/** How long a newly set webhook may wait. On many nodes longer, because each node is polled. */
const [freePollMs, manyNodesFreePollMs] = [200, 1000];

export function startDelivery(resources: DeliveryResources, settings: CourierSettings): BackgroundWork {
  const { pools, isDatabaseUp, active, observer } = resources;
  const rounds = { isDatabaseUp, onFault: observer.fault };
  const runs = keepRuns<Courier>(observer.fault);
  const couriers = runs.all;
  const known = rememberFreeWebhooks(() => (hasManyNodes(pools) ? manyNodesFreePollMs : freePollMs));

  const signerOf = openedSigner(resources);
  const start = (clientId: number) => {
    if (signerOf(clientId) === undefined) return;
    const own = { ...resources, pool: () => poolFor(pools, clientId), signerOf };
    runs.start(clientId, startCourier(clientId, randomUUID(), own, settings));
  };

  /** Most partners have no webhook, or another server has leased it. */
  const mayHaveWork = (clientId: number) => couriers.has(clientId) || known.mayBeFree(clientId);

  /** Polls a group. Returns the free webhooks if they were asked for. */
  const pollGroup = async ({ pool, clientIds }: NodeGroup, isFreePoll: boolean, signal: AbortSignal) => {
    // Looked up by id: searching all couriers for every group takes quadratic time.
    const own = clientIds.flatMap((clientId) => {
      const courier = couriers.get(clientId);
      return courier === undefined ? [] : [{ clientId, courier }];
    });
    const holders = own.map(({ courier }) => courier.holder);
    const freeAmong = isFreePoll ? await findFreeWebhooks(pool, holders, clientIds) : undefined;
    const polledAt = performance.now();
    const some = freeAmong ? clientIds.filter((id) => freeAmong.has(id) || couriers.has(id)) : clientIds;
    const found = await findWebhookWork(pool, holders, some);
    if (signal.aborted) return freeAmong;
    const held = new Map(found.filter((work) => work.is_held).map((work) => [work.client_id, work]));
    for (const { clientId, courier } of own) courier.polled(polledAt, held.get(clientId));
    for (const { client_id, has_new, has_due } of found) {
      if ((has_new || has_due) && !couriers.has(client_id)) start(client_id);
    }
    return freeAmong;
  };

  const nextOf = oneNodeAtATime(pools);
  const polling = startRounds(rounds, pollMs, async (signal) => {
    const all = new Set([...active(), ...couriers.keys()]);
    const isFreePoll = known.isToBePolled();
    const [freeByNow, askedByNow] = [new Set<number>(), new Set<number>()];
    const groups = isFreePoll ? groupsByNode(pools, all) : nextOf(all.values().filter(mayHaveWork));
    await inGroups(rounds, groups, signal, async (group) => {
      const freeAmong = await pollGroup(group, isFreePoll, signal);
      if (freeAmong === undefined) return;
      for (const clientId of freeAmong) freeByNow.add(clientId);
      for (const clientId of group.clientIds) askedByNow.add(clientId);
    });
    if (isFreePoll && all.size > 0) known.polled(freeByNow, askedByNow);
  });

  const ignore = resources.committed.subscribe((clientId) => {
    const present = couriers.get(clientId);
    if (present !== undefined) present.committed();
    else if (known.isFree(clientId)) start(clientId);
    else if (known.takeFresh(clientId)) polling.runNow();
  });
  return {
    async stop() {
      ignore();
      await Promise.all([polling.stop(), runs.stop()]);
    },
  };
}

/** Remembers which active webhooks no other server had leased at the latest poll. */
function rememberFreeWebhooks(pauseMs: () => number) {
  let [free, asked] = [new Set<number>(), new Set<number>()];
  let polledAt = Number.NEGATIVE_INFINITY;
  /** Partners that were not in the latest poll and have had a commit here since. */
  const fresh = new Set<number>();
  return {
    isToBePolled: () => performance.now() >= polledAt + pauseMs(),
    polled(freeByNow: Set<number>, askedByNow: Set<number>) {
      [free, asked] = [freeByNow, askedByNow];
      fresh.clear();
      polledAt = performance.now();
    },
    isFree: (clientId: number) => free.has(clientId),
    mayBeFree: (clientId: number) => free.has(clientId) || !asked.has(clientId),
    /** True once per partner and poll. */
    takeFresh(clientId: number): boolean {
      if (asked.has(clientId) || fresh.has(clientId)) return false;
      fresh.add(clientId);
      return true;
    },
  };
}

/** A partner without a readable secret counts as disabled, because nothing can be signed for it. */
const openedSigner =
  (resources: DeliveryResources): DeliveryResources['signerOf'] =>
  (clientId) => {
    const signer = resources.signerOf(clientId);
    return signer?.keys.length === 0 ? undefined : signer;
  };
