import type { Pool } from 'pg';
import { type NodePools, singleNode } from '../../packages/server/src/engine/connection.ts';

/** For tests without a server. */
export const poolsOnSingleNode = (pool: Pool): NodePools => ({
  nodes: () => singleNode,
  usual: pool,
  of: () => pool,
  isUnresponsive: () => false,
});
