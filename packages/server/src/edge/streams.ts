import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { live } from '@freebets/contract';
import type { Live } from '../events/live/api.ts';
import { type Edge, fail, openExchange, refuse, report } from './exchange.ts';
import { admit, staffHeaders, tokenOf } from './staff.ts';

const access = { least: live.staff, isPolled: true };

/** Serves the stream of events to a staff member. The request is logged when the stream has ended. */
export function serveStream(edge: Edge, streams: Live, request: IncomingMessage, response: ServerResponse): void {
  const exchange = openExchange(edge, 'Live', undefined, request, response);
  const { requestId, headers } = exchange;
  Object.assign(headers, staffHeaders);
  exchange.isPaced = true;
  const open = async () => {
    const refusal = edge.isDraining() ? { error: 'unavailable' as const } : await admit(exchange, 'Live', access);
    if (refusal !== undefined) return refusal;
    const { person } = exchange;
    assert(person, 'a staff member is signed in');
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const clientId = searchParams.has('client_id') ? searchParams.getAll('client_id').join() : null;
    const call = { requestId, person, token: tokenOf(exchange) ?? '', clientId };
    return streams.serve(request, response, call);
  };
  const end = () => report(exchange, { status: 200 });
  response.once('finish', end);
  open()
    .then((refusal) => {
      if (refusal === undefined) return;
      response.off('finish', end);
      refuse(exchange, refusal);
    })
    .catch((error) => {
      response.off('finish', end);
      fail(exchange, error);
    });
}
