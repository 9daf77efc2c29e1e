import type { Pool } from 'pg';
import { type MachinePools, oneMachine } from '../../packages/server/src/engine/nodes.ts';

/** For what is tested without a server. */
export const poolsOnOne = (pool: Pool): MachinePools => ({
  machines: () => oneMachine,
  usual: pool,
  of: () => pool,
  plainRows: () => 0,
  isSilent: () => false,
});
