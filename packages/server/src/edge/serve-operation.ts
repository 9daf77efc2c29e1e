import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationName, Refusal } from '@freebets/contract';
import { Download, Rendered } from '../calls/call.ts';
import { type Slice, undivided } from '../calls/fair-work.ts';
import { ReaderStopped } from '../calls/read-timeout.ts';
import { tracing } from '../engine/tracing.ts';
import { subjectOfAddress } from '../primitives/networks.ts';
import type { Outcome } from '../primitives/outcome.ts';
import {
  addressOf,
  type Body,
  type Edge,
  fail,
  invalid,
  json,
  type Operation,
  type OperationExchange,
  openExchange,
  refuse,
  refuseEarly,
  report,
  send,
} from './exchange.ts';
import { refusalOfItems } from './partners.ts';
import { scanObject } from './scan.ts';
import { isInScope, staffHeaders, takeReason } from './staff.ts';
import { gatherBody, isJson, sendAsMade, smallBytes } from './transfer.ts';

// Serves calls of operations by partners, game providers and staff. The steps are: draining · `beforeBody` · content
// type · size · JSON · `withBody` · item rate · schema and reason · scope · handler. The first step that fails sends
// the response.

/** Larger bodies, and bodies with more items, go through the fair queue of callers. */
const examinedAtOnce = { bytes: smallBytes, items: 16 };

export function serveOperation(
  edge: Edge,
  operation: Operation,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const exchange = openExchange(edge, operation.name, operation, request, response);
  if (operation.staff !== undefined) {
    Object.assign(exchange.headers, staffHeaders);
    exchange.isPaced = true;
  }
  exchange.span = tracing?.startRequest(operation.name, request.headers);
  if (edge.isDraining()) refuseEarly(exchange, { error: 'unavailable' });
  else if (operation.beforeBody === undefined) takeBody(exchange);
  else {
    operation
      .beforeBody(exchange)
      .then((refusal) => (refusal === undefined ? takeBody(exchange) : refuse(exchange, refusal)))
      .catch((error) => fail(exchange, error));
  }
}

function takeBody(exchange: OperationExchange): void {
  const { edge, operation, request } = exchange;
  if (!isJson(request.headers)) return void refuse(exchange, { error: 'not_json' });
  if (Number(request.headers['content-length']) > operation.maxBody)
    return void refuseEarly(exchange, { error: 'body_too_large' });
  const receiveOrRefuse = (body: Buffer | Refusal) =>
    Buffer.isBuffer(body) ? receive(exchange, body) : refuseEarly(exchange, body);
  gatherBody(request, edge.bodies, receiveOrRefuse, operation.maxBody);
}

function receive(exchange: OperationExchange, bytes: Buffer): void {
  const { edge, operation, request } = exchange;
  exchange.deadline = performance.now() + edge.limits.deadlineMs;
  if (operation.staff === undefined) {
    exchange.isOwed = true;
    edge.connections.serve(request);
  }
  try {
    if (bytes.length > examinedAtOnce.bytes) checkInTurn(exchange, bytes).catch((error) => fail(exchange, error));
    else proceed(exchange, bytes, check(exchange, bytes));
  } catch (error) {
    fail(exchange, error);
  }
}

/** Before the caller is known, fairness is per network address (per /64 for IPv6). */
const turnKeyOf = (exchange: OperationExchange): string => exchange.key || subjectOfAddress(addressOf(exchange));

async function checkInTurn(exchange: OperationExchange, bytes: Buffer): Promise<void> {
  const { edge, deadline } = exchange;
  const checked = await edge.fairWork.run(turnKeyOf(exchange), { bytes: bytes.length, deadline }, async () =>
    check(exchange, bytes),
  );
  if (checked === undefined) refuse(exchange, { error: 'unavailable' });
  else proceed(exchange, bytes, checked);
}

interface Checked {
  list: List;
  refusal: ReturnType<Operation['withBody']>;
}

/** The result of the scan for the items of a batch. */
export interface List {
  items: number;
  /** A dry run. */
  isDryRun: boolean;
}

const noList: List = { items: 0, isDryRun: false };

/** The body is not parsed before its caller is known. */
function check(exchange: OperationExchange, bytes: Buffer): Checked {
  const { operation } = exchange;
  const scan = scanObject(bytes, operation.idField);
  if (!scan.ok) return { list: noList, refusal: invalid([scan.error]) };
  return { list: scan, refusal: operation.withBody(exchange, bytes, scan.valueAt) };
}

/** Most requests are served in the same turn of the event loop. */
function proceed(exchange: OperationExchange, bytes: Buffer, { list, refusal }: Checked): void {
  if (refusal instanceof Promise) {
    refusal.then((late) => proceed(exchange, bytes, { list, refusal: late })).catch((error) => fail(exchange, error));
  } else if (refusal !== undefined) refuse(exchange, refusal);
  else {
    const isSmall = bytes.length <= examinedAtOnce.bytes && list.items <= examinedAtOnce.items;
    const serving = isSmall ? serve(exchange, bytes, list, undivided) : serveInTurn(exchange, bytes, list);
    serving.catch((error) => fail(exchange, error));
  }
}

async function serveInTurn(exchange: OperationExchange, bytes: Buffer, list: List): Promise<void> {
  const { edge, deadline } = exchange;
  const begun = await edge.fairWork.run(turnKeyOf(exchange), { bytes: bytes.length, deadline }, async (slice) => {
    await serve(exchange, bytes, list, slice);
    return true;
  });
  if (begun === undefined) refuse(exchange, { error: 'unavailable' });
}

async function serve(exchange: OperationExchange, bytes: Buffer, list: List, slice: Slice): Promise<void> {
  const { operation } = exchange;
  if (operation.batch !== undefined) {
    const refusal = await refusalOfItems(exchange, operation.batch, list);
    if (refusal !== undefined) return refuse(exchange, refusal);
  }
  const body = parse(exchange, bytes);
  if (slice.isOver()) await slice.pause();
  const ofReason = operation.staff === undefined ? undefined : takeReason(exchange, operation.staff, body);
  const found = operation.validate(body, slice);
  const details = found instanceof Promise ? await found : found;
  if (ofReason !== undefined) details.push(...ofReason);
  if (details.length > 0) return refuse(exchange, invalid(details));
  if (operation.staff !== undefined && !isInScope(exchange, body)) {
    return refuse(exchange, { error: 'partner_not_found' });
  }
  if (slice.isOver()) await slice.pause();
  if (!operation.batch?.endsSlice) slice.end();
  const { span } = exchange;
  const outcome = await (span === undefined || tracing === undefined
    ? operation.carryOut(exchange, body, slice)
    : tracing.within(span, () => operation.carryOut(exchange, body, slice)));
  if (outcome instanceof Download) await sendDownload(exchange, outcome);
  else respond(exchange, outcome);
}

function parse({ caller }: OperationExchange, bytes: Buffer): Body {
  const body: Body = JSON.parse(bytes.toString());
  assert(
    caller === undefined || body[caller.kind] === caller.id,
    'the caller who is checked is the caller who is served',
  );
  return body;
}

function respond(exchange: OperationExchange, outcome: Outcome | Rendered): void {
  if (outcome instanceof Rendered) {
    const { status, headers, bytes } = outcome;
    Object.assign(exchange.headers, headers);
    if (status !== 304) exchange.headers['content-type'] = json;
    send(exchange, { status, body: bytes, isShared: true });
  } else if (outcome.ok) {
    const refused = refusedItems(outcome.value);
    exchange.headers['content-type'] = json;
    send(exchange, { status: 200, body: JSON.stringify(outcome.value), refused });
    // Dry runs are not counted.
    if (!('dry_run' in outcome.value)) countRefused(exchange, refused);
  } else refuse(exchange, outcome);
}

/** How many items of a batch were refused, by error. */
function refusedItems(value: unknown): Record<string, number> | undefined {
  const { results } = value as { results?: { error?: { error: string } }[] };
  if (results === undefined) return undefined;
  let refused: Record<string, number> | undefined;
  for (const { error } of results) {
    if (error === undefined) continue;
    refused ??= {};
    refused[error.error] = (refused[error.error] ?? 0) + 1;
  }
  return refused;
}

function countRefused({ edge, name }: OperationExchange, refused: Record<string, number> | undefined): void {
  for (const word in refused) edge.observeRefusedItems(name as OperationName, word, refused[word] as number);
}

async function sendDownload(exchange: OperationExchange, { name, pieces }: Download): Promise<void> {
  const { edge, operation, request, response, headers, requestId } = exchange;
  const begin = () => {
    headers['content-disposition'] = `attachment; filename="${name}"`;
    headers['content-type'] = operation.fileType;
    if (edge.isClosing()) headers.connection = 'close';
    response.writeHead(200, headers);
  };
  try {
    await sendAsMade(edge.sending, response, pieces, begin);
    if (response.writableEnded) report(exchange, { status: 200 });
  } catch (error) {
    // A file that has not begun can be refused.
    if (!response.headersSent) throw error;
    if (!(error instanceof ReaderStopped)) edge.onFault(error, requestId);
    request.socket.destroy();
  }
}
