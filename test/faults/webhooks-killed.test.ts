import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../support/database.ts';
import { times } from '../support/long.ts';
import { serverProcess } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { assertAllReceived, attemptsAt, impatience, issueAll, startMoodyReceivers } from '../support/webhook-load.ts';
import { createPartners } from '../support/webhooks.ts';

// Servers that deliver are killed, again and again. The others take over when the lease has run out, and every event is
// received; what the dead server had sent in its last moments, and could not write down, is sent again.

const kills = 1;
const perPartner = times(60, 80);
/** Of one server: under way, and ended since it last wrote down what it did. */
const mostRepeated = 128 + 256;

const database = await testDatabase();
const { env, sql } = database;
const partners = await createPartners(database, 4);
const start = () => serverProcess({ ...env, ...impatience });
const servers = await Promise.all(Array.from({ length: 2 }, start));

test('servers that are killed lose no event, and repeat few', async (t) => {
  const watched = await startMoodyReceivers(sql, partners);
  const killing = async () => {
    for (let kill = 0; kill < kills; kill++) {
      // Counted from the beginning, because the others may send all that is left while a server starts.
      const due = ((kill + 1) / (kills + 2)) * partners.length * perPartner;
      await until('more attempts', 30_000, () => attemptsAt(watched) > due);
      const turn = kill % servers.length;
      await servers[turn]?.end('SIGKILL');
      servers[turn] = await start();
    }
  };
  await Promise.all([issueAll(servers, partners, perPartner), killing()]);
  const { twice } = await assertAllReceived(sql, watched, t);
  assert.ok(twice <= kills * mostRepeated, `${twice} were received again after ${kills} kills`);
});
