import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientId, isValid, type Refusal } from '@freebets/contract';
import type { Pool } from 'pg';
import type { SignedIn } from '../../calls/signed-in.ts';
import { isDatabaseUnavailable } from '../../engine/faults.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { type EndedSessions, findSignedIn, type SessionRules } from '../../people/sessions.ts';
import type { Signal } from '../../primitives/signal.ts';
import { frameOf, type Hub, openHub } from './hub.ts';

// The stream of what happens, for somebody who is signed in. It ends when the server stops, and with the session: at once where that was
// ended on this server, and within half a minute where it was elsewhere, or by time.

/** Who has more has forgotten some. */
const streamsOfOne = 20;
const streamsAtATime = 300;
/** That wait for the other side. Most are of the same bytes for many streams. */
const mostWaitingBytes = 512 * 1024;
const sessionCheckMs = 30_000;

const head = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A proxy would otherwise wait until there is enough to be worth sending.
  'x-accel-buffering': 'no',
  // It is the last answer on its connection, so that a server that stops need not wait for another request.
  connection: 'close',
};

export interface LiveServices {
  consolePool: Pool;
  sessionRules: SessionRules;
  partnerProfile(clientId: number): PartnerProfile;
  callerExists(caller: { kind: 'client_id'; id: number }): boolean;
  isDatabaseUp(): boolean;
  /** This server has committed a change of a partner, which may have emitted events. */
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  sessionsEnded: Pick<Signal<[EndedSessions]>, 'subscribe'>;
  onFault(error: unknown): void;
}

export interface LiveCall {
  requestId: string;
  person: SignedIn;
  token: string;
  /** The partner to hear of; null for all. */
  clientId: string | null;
}

interface OpenStream extends LiveCall {
  end(): void;
}

export interface Live {
  /** Returns why there is no stream; undefined if there is one. */
  serve(request: IncomingMessage, response: ServerResponse, call: LiveCall): Promise<Refusal | undefined>;
  /** Ends all streams. */
  stop(): Promise<void>;
}

export function openLive(services: LiveServices): Live {
  const { consolePool: pool, partnerProfile, isDatabaseUp, committed, sessionsEnded, onFault } = services;
  const hub = openHub({ pool, partnerProfile, isDatabaseUp, committed, onFault });
  const streams = new Map<string, number>();
  let total = 0;
  const open = new Set<OpenStream>();
  sessionsEnded.subscribe(({ staffId, token }) => {
    for (const stream of open) {
      if (stream.person.staff_id === staffId || stream.token === token) endWithSession(services, stream).catch(onFault);
    }
  });

  const serve: Live['serve'] = async (request, response, call) => {
    const { staff_id } = call.person;
    const own = streams.get(staff_id) ?? 0;
    const partners = scopeOf(services, call);
    if (partners === undefined) return { error: 'partner_not_found' };
    if (own >= streamsOfOne || total >= streamsAtATime || !isDatabaseUp()) return { error: 'unavailable' };
    // Who has hung up while it was asked who it is has closed already, and would keep its place.
    if (request.socket.destroyed) return undefined;
    count(staff_id, 1);
    const stream: OpenStream = { ...call, end: () => response.end() };
    open.add(stream);
    const checking = setInterval(() => endWithSession(services, stream).catch(onFault), sessionCheckMs).unref();
    response.once('close', () => {
      clearInterval(checking);
      open.delete(stream);
      count(staff_id, -1);
    });
    response.writeHead(200, { ...head, 'x-request-id': call.requestId });
    const isReconnect = request.headers['last-event-id'] !== undefined;
    await openStream(hub, response, partners, isReconnect).catch((error) => {
      onFault(error);
      response.destroy();
    });
    return undefined;
  };
  return { serve, stop: hub.stop };

  function count(staffId: string, by: 1 | -1): void {
    const own = (streams.get(staffId) ?? 0) + by;
    total += by;
    if (own === 0) streams.delete(staffId);
    else streams.set(staffId, own);
  }
}

/**
 * Resolves when the stream has begun; it ends by itself, when the other side hangs up, and by `end` of the listener. A client that reconnects
 * is sent `reset` and reads everything again. One that reads too slowly is disconnected.
 */
export async function openStream(
  hub: Hub,
  response: ServerResponse,
  partners: readonly number[] | null,
  isReconnect: boolean,
): Promise<void> {
  const isOver = () => response.destroyed || response.writableEnded;
  const send = (frame: Buffer) => {
    if (response.writableLength + frame.length > mostWaitingBytes) response.destroy();
    else if (!isOver()) response.write(frame);
  };
  const leave = await hub.join(partners, { send, end: () => response.end() });
  response.once('close', leave);
  if (isOver()) return leave();
  send(frameOf(isReconnect ? 'reset' : 'ping', {}));
}

/** The partners to hear of; undefined where the one that is asked for is not there for this person. */
function scopeOf({ callerExists }: LiveServices, { person, clientId }: LiveCall): readonly number[] | null | undefined {
  const { partners } = person;
  if (clientId === null) return partners;
  const id = /^\d{1,10}$/.test(clientId) ? Number(clientId) : Number.NaN;
  const isInScope = isValid(ClientId, id) && (partners === null || partners.includes(id));
  return isInScope && callerExists({ kind: 'client_id', id }) ? [id] : undefined;
}

/** A role or a scope that has changed ends it too: who comes back has the new one. */
async function endWithSession(services: LiveServices, { person, token, end }: OpenStream): Promise<void> {
  try {
    const found = await findSignedIn(services.consolePool, token, services.sessionRules, false);
    const isSame = found?.role === person.role && String(found.partners) === String(person.partners);
    if (!isSame) end();
  } catch (error) {
    // While the database is unavailable nothing is told anyway.
    if (!isDatabaseUnavailable(error)) end();
  }
}
