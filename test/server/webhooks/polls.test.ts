import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { createSignal } from '../../../packages/server/src/background/signal.ts';
import { type MachinePools, oneMachine } from '../../../packages/server/src/db/machines.ts';
import type { CourierSettings } from '../../../packages/server/src/webhooks/courier.ts';
import { type DeliveryResources, startDelivery } from '../../../packages/server/src/webhooks/delivery.ts';
import { until } from '../../support/waiting.ts';

// Who is asked about, and how often. The database says who has a webhook, and that nobody has anything to be sent.

const withWebhook = new Set([2]);
const asked: { name: string; clientIds: number[] }[] = [];
const pool = {
  async query({ name, values: [, clientIds] }: { name: string; values: [string[], number[]] }) {
    asked.push({ name, clientIds });
    return { rows: name === 'free_webhooks' ? [{ client_ids: clientIds.filter((id) => withWebhook.has(id)) }] : [] };
  },
} as unknown as pg.Pool;
const pools: MachinePools = { machines: () => oneMachine, usual: pool, of: () => pool, isSilent: () => false };

const awake = new Set([1, 2]);
const committed = createSignal<[clientId: number]>();
const resources = {
  ...{ pools, committed, awake: () => awake, isDatabaseUp: () => true, signerOf: () => undefined },
  observer: { fault: (error: unknown) => assert.fail(String(error)) },
} as unknown as DeliveryResources;
const { stop } = startDelivery(resources, {} as CourierSettings);
after(stop);

/** Who is asked whether there is something to send, in the polls from now on, of which there are so many at least. */
async function askedAbout(polls: number): Promise<Set<number>> {
  const from = asked.length;
  const some = () => asked.slice(from).filter(({ name }) => name === 'webhook_work');
  await until(`${polls} polls`, 5000, () => some().length >= polls);
  return new Set(some().flatMap(({ clientIds }) => clientIds));
}

test('whoever has no webhook is asked for one once a second, and nothing else; whoever has just begun to do something at once', async () => {
  const frees = () => asked.filter(({ name }) => name === 'free_webhooks').length;
  await until('the first poll', 5000, () => frees() === 1);
  assert.deepEqual(await askedAbout(3), new Set([2]));

  awake.add(3);
  const from = asked.length;
  committed.emit(3);
  await until('the new one is asked about', 5000, () =>
    asked.slice(from).some(({ clientIds }) => clientIds.includes(3)),
  );

  withWebhook.add(1);
  const known = frees();
  await until('all are asked about again', 5000, () => frees() > known);
  assert.deepEqual(await askedAbout(3), new Set([1, 2]));
});
