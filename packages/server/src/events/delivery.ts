import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findWebhookWork } from '../sql/webhooks.ts';
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

export function startDelivery(resources: DeliveryResources, settings: CourierSettings): WebhookDelivery {
  const holder = randomUUID();
  const couriers = new Map<number, Courier>();
  const stopping = new AbortController();
  /** Webhooks that are on, and no other server's, when last looked. */
  let free = new Set<number>();

  /** Without a secret that opens nothing can be signed, and a partner is as if it were disabled. */
  const keysOf = (clientId: number) => {
    const keys = resources.keysOf(clientId);
    return keys?.length === 0 ? undefined : keys;
  };

  const send = (clientId: number, work: Parameters<Courier['nudge']>[0]) => {
    if (stopping.signal.aborted || keysOf(clientId) === undefined) return;
    const present = couriers.get(clientId);
    if (present !== undefined) return present.nudge(work);
    const courier = startCourier(clientId, holder, { ...resources, keysOf }, settings);
    couriers.set(clientId, courier);
    void courier.ended.finally(() => couriers.delete(clientId));
  };

  const look = async () => {
    const lookedAt = performance.now();
    const found = await findWebhookWork(resources.pool, holder);
    free = new Set(found.map((work) => work.client_id));
    const held = new Set(found.filter((work) => work.is_held).map((work) => work.client_id));
    for (const [clientId, courier] of couriers) if (!held.has(clientId)) courier.leaseIsGone(lookedAt);
    for (const { client_id, has_new, has_due, last_sequence } of found) {
      if (has_new || has_due) send(client_id, { through: last_sequence, isDue: has_due });
    }
  };

  const looking = (async () => {
    while (!stopping.signal.aborted) {
      if (resources.isDatabaseUp()) await look().catch(resources.observer.fault);
      await delay(lookMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();

  return {
    told(clientId) {
      if (free.has(clientId)) send(clientId, {});
    },
    async stop() {
      stopping.abort();
      await looking;
      for (const courier of couriers.values()) courier.stop();
      await Promise.all([...couriers.values()].map((courier) => courier.ended));
    },
  };
}
