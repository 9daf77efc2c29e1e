import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreeWebhooks, findWebhookWork } from '../sql/webhooks.ts';
import { type Courier, type CourierResources, type CourierSettings, startCourier } from './courier.ts';

// Sees to it that every webhook with something to do has a courier, on one of the servers. Each server looks for work that
// no other has taken; the one that commits an event need not look, and usually delivers it.

export interface DeliveryResources extends CourierResources {
  isDatabaseUp(): boolean;
}

export interface WebhookDelivery {
  /** This server has committed events of a partner. */
  told(clientId: number): void;
  stop(): Promise<void>;
}

const lookMs = 100;
const lookForFreeMs = 1000;

export function startDelivery(resources: DeliveryResources, settings: CourierSettings): WebhookDelivery {
  const couriers = new Map<number, Courier>();
  const stopping = new AbortController();
  /** Webhooks that are on, and no other server's, when last looked. */
  let free = new Set<number>();
  let freeLookedAt = Number.NEGATIVE_INFINITY;

  /** Without a secret that opens nothing can be signed, and a partner is as if it were disabled. */
  const signingKeysOf = (clientId: number) => {
    const keys = resources.signingKeysOf(clientId);
    return keys?.length === 0 ? undefined : keys;
  };

  const start = (clientId: number) => {
    if (stopping.signal.aborted || signingKeysOf(clientId) === undefined) return;
    const courier = startCourier(clientId, randomUUID(), { ...resources, signingKeysOf }, settings);
    couriers.set(clientId, courier);
    void courier.ended.finally(() => couriers.delete(clientId));
  };

  const look = async () => {
    const lookedAt = performance.now();
    const holders = [...couriers.values()].map((courier) => courier.holder);
    const found = await findWebhookWork(resources.pool, holders);
    const held = new Map(found.filter((work) => work.is_held).map((work) => [work.client_id, work]));
    for (const [clientId, courier] of couriers) courier.looked(lookedAt, held.get(clientId));
    for (const { client_id, has_new, has_due } of found) {
      if ((has_new || has_due) && !couriers.has(client_id)) start(client_id);
    }
    if (lookedAt < freeLookedAt + lookForFreeMs) return;
    free = await findFreeWebhooks(resources.pool, holders);
    freeLookedAt = lookedAt;
  };

  const looking = (async () => {
    while (!stopping.signal.aborted) {
      if (resources.isDatabaseUp()) await look().catch(resources.observer.fault);
      await delay(lookMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();

  return {
    told(clientId) {
      const present = couriers.get(clientId);
      if (present !== undefined) present.told();
      else if (free.has(clientId)) start(clientId);
    },
    async stop() {
      stopping.abort();
      await looking;
      for (const courier of couriers.values()) courier.stop();
      await Promise.all([...couriers.values()].map((courier) => courier.ended));
    },
  };
}
