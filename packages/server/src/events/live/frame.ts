import type { LiveMessages } from '@freebets/contract';
import { type Positions, writePositions } from './positions.ts';

/** A message as it is sent. The positions are those that whoever has read it has come to. */
export const frameOf = <N extends keyof LiveMessages>(name: N, data: LiveMessages[N], positions: Positions): Buffer =>
  Buffer.from(`id: ${writePositions(positions)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
