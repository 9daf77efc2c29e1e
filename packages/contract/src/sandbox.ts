import { ClientId, Coefficient, closed, GameId, IssueId, Timestamp } from './formats.ts';
import { Type } from './type.ts';

// What a sandbox can do beside all that partners can: move its clock, and play rounds without a game provider.

export const SandboxClockGetRequest = closed({ client_id: ClientId });
export type SandboxClockGetRequest = Type.Static<typeof SandboxClockGetRequest>;

export const SandboxClockSetRequest = closed({ client_id: ClientId, now: Timestamp });
export type SandboxClockSetRequest = Type.Static<typeof SandboxClockSetRequest>;

export const SandboxClock = closed({
  now: Timestamp,
  offset_s: Type.Integer({ description: 'How many seconds later than in the world it is for this sandbox.' }),
});
export type SandboxClock = Type.Static<typeof SandboxClock>;

const round = {
  client_id: ClientId,
  issue_id: IssueId,
  game_id: Type.Optional(GameId),
  result: Type.Enum(['won', 'lost', 'rolled_back']),
};
const Won = closed({ ...round, coefficient: Coefficient }, { title: 'Won' });
const NotWon = closed(round, { title: 'Lost or rolled back' });

export interface SandboxRoundRequest extends Type.Static<typeof NotWon> {
  coefficient?: string;
}

/** A coefficient comes with a win, and only with a win. */
export const SandboxRoundRequest = Type.Unsafe<SandboxRoundRequest>({
  type: 'object',
  if: { properties: { result: { const: 'won' } }, required: ['result'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  then: Won,
  else: NotWon,
});
