import { randomUUID } from 'node:crypto';
import {
  groupsByNode,
  hasManyNodes,
  type NodeGroup,
  type NodePools,
  oneNodeAtATime,
  poolFor,
} from '../../engine/nodes.ts';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import type { Signal } from '../../primitives/signal.ts';
import { type Courier, type CourierResources, type CourierSettings, startCourier } from './courier.ts';
import { findFreeWebhooks, findWebhookWork } from './sql/webhooks.ts';

// Sees to it that every webhook with something to do has a courier, on one of the servers. Each server polls for work that
// no other has taken; the one that commits an event knows without a poll, and usually delivers it.

export interface DeliveryResources extends Omit<CourierResources, 'pool'> {
  pools: NodePools;
  /** Whoever may have something to be sent is among them. */
  awake(): ReadonlySet<number>;
  /** This server has committed something of a partner, of which there may be events. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  isDatabaseUp(): boolean;
}

const pollMs = 100;
/** About so long may a webhook that has just been set wait; on many nodes each of them is asked. */
const [pollForFreeMs, pollManyForFreeMs] = [200, 1000];

export function startDelivery(resources: DeliveryResources, settings: CourierSettings): BackgroundWork {
  const { pools, isDatabaseUp, awake, observer } = resources;
  const couriers = new Map<number, Courier>();
  const known = rememberFree(() => (hasManyNodes(pools) ? pollManyForFreeMs : pollForFreeMs));

  const signerOf = openedSigner(resources);
  const start = (clientId: number) => {
    if (signerOf(clientId) === undefined) return;
    const own = { ...resources, pool: () => poolFor(pools, clientId), signerOf };
    const courier = startCourier(clientId, randomUUID(), own, settings);
    couriers.set(clientId, courier);
    courier.ended.finally(() => couriers.delete(clientId)).catch(observer.fault);
  };

  const nextOf = oneNodeAtATime(pools);
  const poll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    const all = new Set([...awake(), ...couriers.keys()]);
    const isForFree = known.isToBePolled();
    const [freeByNow, askedByNow] = [new Set<number>(), new Set<number>()];
    for (const group of isForFree ? groupsByNode(pools, all) : nextOf(all.values().filter(mayHaveWork))) {
      const freeAmong = await pollAmong(group, isForFree, signal).catch(observer.fault);
      if (freeAmong === undefined) continue;
      for (const clientId of freeAmong) freeByNow.add(clientId);
      for (const clientId of group.clientIds) askedByNow.add(clientId);
    }
    if (!isForFree || all.size === 0) return;
    known.polled(freeByNow, askedByNow);
  };

  /** Most have no webhook, or another server has it. */
  const mayHaveWork = (clientId: number) => couriers.has(clientId) || known.mayBeFree(clientId);

  /** Those that are free, where they are asked for. */
  const pollAmong = async ({ pool, clientIds }: NodeGroup, isForFree: boolean, signal: AbortSignal) => {
    // Looked up by id: a search through all couriers for every group takes quadratic time.
    const ours = clientIds.flatMap((clientId) => {
      const courier = couriers.get(clientId);
      return courier === undefined ? [] : [{ clientId, courier }];
    });
    const holders = ours.map(({ courier }) => courier.holder);
    const freeAmong = isForFree ? await findFreeWebhooks(pool, holders, clientIds) : undefined;
    const polledAt = performance.now();
    const some = freeAmong ? clientIds.filter((id) => freeAmong.has(id) || couriers.has(id)) : clientIds;
    const found = await findWebhookWork(pool, holders, some);
    if (signal.aborted) return freeAmong;
    const held = new Map(found.filter((work) => work.is_held).map((work) => [work.client_id, work]));
    for (const { clientId, courier } of ours) courier.polled(polledAt, held.get(clientId));
    for (const { client_id, has_new, has_due } of found) {
      if ((has_new || has_due) && !couriers.has(client_id)) start(client_id);
    }
    return freeAmong;
  };

  const polling = repeat(poll, { pauseMs: pollMs, onFault: observer.fault });
  const ignore = resources.committed.subscribe((clientId) => {
    const present = couriers.get(clientId);
    if (present !== undefined) present.committed();
    else if (known.isFree(clientId)) start(clientId);
    else if (known.isFresh(clientId)) polling.hurry();
  });
  return {
    async stop() {
      ignore();
      await polling.stop();
      for (const courier of couriers.values()) courier.stop();
      await Promise.all([...couriers.values()].map((courier) => courier.ended));
    },
  };
}

/** Whose webhooks are on, and no other server's, by the latest poll for them. */
function rememberFree(pauseMs: () => number) {
  let [free, asked] = [new Set<number>(), new Set<number>()];
  let polledAt = Number.NEGATIVE_INFINITY;
  /** Who was not asked about, and has had something committed here since. */
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
    /** One time for each. */
    isFresh(clientId: number): boolean {
      if (asked.has(clientId) || fresh.has(clientId)) return false;
      fresh.add(clientId);
      return true;
    },
  };
}

/** Without a secret that opens nothing can be signed, and a partner is as if it were disabled. */
const openedSigner =
  (resources: DeliveryResources): DeliveryResources['signerOf'] =>
  (clientId) => {
    const signer = resources.signerOf(clientId);
    return signer?.keys.length === 0 ? undefined : signer;
  };
