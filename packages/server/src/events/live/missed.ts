import { noPartner } from '../../audit/sql.ts';
import { findBriefsAfter } from '../feed/sql/events.ts';
import { frameOf } from './frame.ts';
import { type Position, type Positions, start } from './positions.ts';
import { happened, type LiveSource, readChanged, readFigures, shownAtATime } from './reading.ts';

// What somebody has missed who comes back: everything behind the positions they had come to, up to those that the stream goes on
// from. Where that is too much, or is not kept any more, they are told to read everything anew.

const mostMissed = 1000;

interface Missed {
  clientId: number;
  from: Position;
  to: Position;
}

export async function* missedFrames(
  source: LiveSource,
  since: Positions | undefined,
  until: Positions,
): AsyncGenerator<Buffer> {
  const missed = since && missedBetween(since, until);
  if (since === undefined || missed === undefined) return yield frameOf('reset', {}, until);
  const from = [...until.of.keys()].map((clientId): [number, Position] => [clientId, since.of.get(clientId) ?? start]);
  const positions: Positions = { database: until.database, of: new Map(from) };
  for (const each of missed) {
    const frames = framesOf(source, each, positions);
    for (;;) {
      const { value, done } = await frames.next();
      if (done && !value) return yield frameOf('reset', {}, until);
      if (done) break;
      yield value;
    }
  }
  yield frameOf('ping', {}, until);
}

/** Undefined where it is too much, or cannot be. */
function missedBetween(since: Positions, until: Positions): Missed[] | undefined {
  if (since.database !== until.database) return undefined;
  let count = 0;
  const missed: Missed[] = [];
  for (const [clientId, to] of until.of) {
    const from = since.of.get(clientId) ?? start;
    const [events, records] = [to.event - from.event, to.audit - from.audit];
    count += events + records;
    if (events < 0 || records < 0 || count > mostMissed) return undefined;
    if (events + records > 0) missed.push({ clientId, from, to });
  }
  return missed;
}

/** Answers whether all of it was still there. */
async function* framesOf(
  source: LiveSource,
  { clientId, from, to }: Missed,
  positions: Positions,
): AsyncGenerator<Buffer, boolean> {
  const touched = new Set<string>();
  let after = from.event;
  while (clientId !== noPartner && after < to.event) {
    const found = await findBriefsAfter(source.pool, clientId, after, shownAtATime);
    const briefs = found.slice(0, Math.min(shownAtATime, to.event - after));
    if (briefs[0]?.sequence !== after + 1) return false;
    for (const { campaignId } of briefs) if (campaignId !== null) touched.add(campaignId);
    after += briefs.length;
    positions.of.set(clientId, { ...from, event: after });
    yield frameOf('happened', happened(clientId, briefs.length, briefs), positions);
  }
  const changed = to.audit > from.audit && (await readChanged(source, clientId, from.audit, to.audit));
  positions.of.set(clientId, to);
  if (changed) yield frameOf('changed', changed, positions);
  const figures = await readFigures(source, clientId, [...touched]);
  if (figures !== undefined) yield frameOf('figures', figures, positions);
  return true;
}
