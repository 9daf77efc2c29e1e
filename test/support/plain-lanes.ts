import assert from 'node:assert/strict';
import { openActiveCache } from '../../packages/server/src/background/active.ts';
import type { LaneObserver } from '../../packages/server/src/engine/attempts.ts';
import type { LaneSettings } from '../../packages/server/src/engine/next-transaction.ts';
import { type Committed, type LaneResources, openLanes } from '../../packages/server/src/promo/batch/batch.ts';
import { cacheCampaignDefinitions } from '../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { profile } from './plain-commands.ts';

interface Lanes extends Pick<LaneResources, 'pools'> {
  resources?: Partial<LaneResources>;
  settings?: Partial<LaneSettings>;
  observer?: Partial<LaneObserver<Committed>>;
}

/**
 * The lanes of a server without the server, with the usual settings except the given ones. Unexpected failures fail
 * the test.
 */
export const openPlainLanes = ({ pools, resources, settings, observer }: Lanes) =>
  openLanes(
    {
      pools,
      definitions: cacheCampaignDefinitions(1_000_000),
      profileOf: () => profile,
      activeCache: openActiveCache(),
      isDatabaseUp: () => true,
      ...resources,
    },
    { batchSize: 100, queueSize: 1000, deadlineMs: 60_000, transactions: 2, shortLaneTransactions: 2, ...settings },
    { batch() {}, committed() {}, fault: (error) => assert.fail(String(error)), ...observer },
  );
