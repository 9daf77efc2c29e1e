import type { BatchRunner, LaneObserver } from '../../engine/attempts.ts';
import * as engine from '../../engine/lanes.ts';
import { hasManyNodes, type NodePools } from '../../engine/nodes.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { type Committed, runBatch } from './batch.ts';
import type { Answers, Command, CommandKind, CommandOf } from './command.ts';
import type { Waking } from './waking.ts';

export interface LaneResources {
  pools: NodePools;
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  waking: Waking;
  isDatabaseUp(): boolean;
}

/** The lanes of the engine, with the type of response that each kind of command has. */
export interface Lanes extends Omit<engine.Lanes<Command>, 'submit' | 'submitPatiently'> {
  submit<K extends CommandKind>(clientId: number, commands: readonly CommandOf<K>[]): Promise<Outcome<Answers[K]>[]>;
  submitPatiently<K extends CommandKind>(
    clientId: number,
    make: (room: number) => CommandOf<K>,
  ): Promise<Outcome<Answers[K]>>;
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

const batchRunnerOf = ({ pools, definitions, profileOf, waking }: LaneResources): BatchRunner<Command, Committed> => ({
  run: (connection, shares) =>
    runBatch(
      { connection, definitions, waking, isOnMany: hasManyNodes(pools), plainRows: pools.plainRows() },
      shares.map(({ clientId, commands }) => ({ clientId, commands, partner: profileOf(clientId) })),
    ),
  forget: waking.forget,
});
