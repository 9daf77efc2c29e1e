import type { ActiveCache } from '../../background/active.ts';
import type { BatchRunner, LaneObserver } from '../../engine/attempts.ts';
import { hasManyNodes, type NodePools } from '../../engine/connection.ts';
import * as engine from '../../engine/lanes.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { type Committed, runBatch } from './batch.ts';
import type { Command, Lanes } from './command.ts';

export interface LaneResources {
  pools: NodePools;
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  activeCache: ActiveCache;
  isDatabaseUp(): boolean;
}

export const openLanes = (
  resources: LaneResources,
  settings: engine.LaneSettings,
  observer: LaneObserver<Committed>,
): Lanes =>
  engine.openLanes(
    { pools: resources.pools, isDatabaseUp: resources.isDatabaseUp, batches: batchRunnerOf(resources) },
    settings,
    observer,
  ) as Lanes;

const batchRunnerOf = ({
  pools,
  definitions,
  profileOf,
  activeCache,
}: LaneResources): BatchRunner<Command, Committed> => ({
  run: (connection, shares) =>
    runBatch(
      { connection, definitions, activeCache, isCluster: hasManyNodes(pools), maxInlineRows: pools.maxInlineRows() },
      shares.map(({ clientId, commands }) => ({ clientId, commands, partner: profileOf(clientId) })),
    ),
  forget: activeCache.forget,
});
