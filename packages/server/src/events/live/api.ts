import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientId, isValid, type Refusal } from '@freebets/contract';
import type { Pool } from 'pg';
import type { SignedIn } from '../../calls/signed-in.ts';
import { isDatabaseUnavailable } from '../../engine/faults.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { type EndedSessions, findSignedIn, type SessionRules } from '../../people/sessions.ts';
import type { Signal } from '../../primitives/signal.ts';
import { frameOf, type Hub, openHub } from './hub.ts';

// The stream of live messages for a signed-in person. It ends when the server stops or the session ends: at once if the
// session was ended on this server, and within 30 s if it was ended on another one or expired.

/** A person with more has left some open by mistake. */
const maxStreamsPerPerson = 20;
const maxStreams = 300;
/** The maximum unsent bytes per stream. Many streams share the same buffers. */
const maxUnsentBytes = 512 * 1024;
const sessionCheckMs = 30_000;

const head = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Otherwise a proxy would buffer the messages.
  'x-accel-buffering': 'no',
  // Closes the connection after this response, so that a stopping server need not wait for another request.
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
  /** The partner to receive messages of; null for all partners. */
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
  const open = new Set<OpenStream>();
  sessionsEnded.subscribe(({ staffId, token }) => {
    for (const stream of open) {
      if (stream.person.staff_id === staffId || stream.token === token) endWithSession(services, stream).catch(onFault);
    }
  });

  const serve: Live['serve'] = async (request, response, call) => {
    const { staff_id } = call.person;
    const own = open.values().filter(({ person }) => person.staff_id === staff_id);
    const partners = scopeOf(services, call);
    if (partners === undefined) return { error: 'partner_not_found' };
    if (open.size >= maxStreams || [...own].length >= maxStreamsPerPerson || !isDatabaseUp())
      return { error: 'unavailable' };
    // If the client has hung up during authentication, 'close' has already been emitted, and the stream would be
    // counted forever.
    if (request.socket.destroyed) return undefined;
    const stream: OpenStream = { ...call, end: () => response.end() };
    open.add(stream);
    const checking = setInterval(() => endWithSession(services, stream).catch(onFault), sessionCheckMs).unref();
    response.once('close', () => {
      clearInterval(checking);
      open.delete(stream);
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
}

/**
 * Resolves once the stream has begun. The stream ends when the client disconnects or the hub calls `end`. A client that
 * reconnects is sent `reset` and reads everything again. A client that reads too slowly is disconnected.
 */
export async function openStream(
  hub: Hub,
  response: ServerResponse,
  partners: readonly number[] | null,
  isReconnect: boolean,
): Promise<void> {
  const isOver = () => response.destroyed || response.writableEnded;
  const send = (frame: Buffer) => {
    if (response.writableLength + frame.length > maxUnsentBytes) response.destroy();
    else if (!isOver()) response.write(frame);
  };
  const leave = await hub.join(partners, { send, end: () => response.end() });
  response.once('close', leave);
  if (isOver()) return leave();
  send(frameOf(isReconnect ? 'reset' : 'ping', {}));
}

/** The partners to receive messages of; undefined if the requested partner is not visible to this person. */
function scopeOf({ callerExists }: LiveServices, { person, clientId }: LiveCall): readonly number[] | null | undefined {
  const { partners } = person;
  if (clientId === null) return partners;
  const id = /^\d{1,10}$/.test(clientId) ? Number(clientId) : Number.NaN;
  const isInScope = isValid(ClientId, id) && (partners === null || partners.includes(id));
  return isInScope && callerExists({ kind: 'client_id', id }) ? [id] : undefined;
}

/**
 * Ends the stream if the session is over, or if the role or scope has changed. The client reconnects with the new one.
 */
async function endWithSession(services: LiveServices, { person, token, end }: OpenStream): Promise<void> {
  try {
    const found = await findSignedIn(services.consolePool, token, services.sessionRules, false);
    const isSame = found?.role === person.role && String(found.partners) === String(person.partners);
    if (!isSame) end();
  } catch (error) {
    // While the database is unavailable, no messages are sent anyway.
    if (isDatabaseUnavailable(error)) return;
    end();
    throw error;
  }
}
