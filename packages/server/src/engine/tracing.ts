import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  context,
  isSpanContextValid,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { version } from '../primitives/version.ts';

// Traces, if an OpenTelemetry SDK was registered before the program was loaded (node --import …). Otherwise `tracing`
// is undefined, and each place that could trace costs one check.

const tracer = trace.getTracer('freebets', version);

/** A delivery attempt in progress, and the headers that pass its trace context on. */
interface TracedCall {
  headers: Record<string, string>;
  end(error: string | undefined): void;
}

export interface TracedBatch {
  /** In milliseconds since 1970. */
  startedAt: number;
  loadMs: number;
  commitMs: number;
  commands: number;
  partners: number;
  /** The requests whose commands the batch ran. */
  requests: (SpanContext | undefined)[];
}

const spans = {
  /** The span belongs to the trace in the caller's `traceparent` header. */
  startRequest(operation: string, headers: IncomingHttpHeaders): Span {
    const caller = propagation.extract(context.active(), headers);
    return tracer.startSpan(operation, { kind: SpanKind.SERVER, attributes: { 'rpc.method': operation } }, caller);
  },

  endRequest(span: Span, status: number, error: string): void {
    span.setAttribute('http.response.status_code', status);
    if (error !== '') span.setAttribute('error.type', error);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end();
  },

  /** Runs `work` inside the span. */
  within: <T>(span: Span, work: () => T): T => context.with(trace.setSpan(context.active(), span), work),

  /** The span of the current request. */
  current: (): SpanContext | undefined => trace.getActiveSpan()?.spanContext(),

  /** Called after the commit. A batch belongs to many requests, so it is a separate trace with links to theirs. */
  batch({ startedAt, loadMs, commitMs, commands, partners, requests }: TracedBatch): void {
    // One link per request, not per command, because SDKs limit the number of links.
    const links = [...new Set(requests)].filter((each) => each !== undefined).map((each) => ({ context: each }));
    const attributes = { 'freebets.commands': commands, 'freebets.partners': partners };
    const span = tracer.startSpan('lane batch', { root: true, startTime: startedAt, links, attributes });
    const inside = trace.setSpan(context.active(), span);
    const part = (name: string, from: number, ms: number) => {
      const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
      const options = { kind: SpanKind.CLIENT, startTime: from, attributes };
      tracer.startSpan(name, options, inside).end(from + ms);
    };
    part('load', startedAt, loadMs);
    part('write and commit', startedAt + loadMs, commitMs);
    span.end(startedAt + loadMs + commitMs);
  },

  /** An attempt to deliver an event. */
  startAttempt(clientId: number, sequence: number): TracedCall {
    const attributes = { 'freebets.client_id': clientId, 'freebets.sequence': sequence };
    const span = tracer.startSpan('webhook attempt', { kind: SpanKind.CLIENT, root: true, attributes });
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    return {
      headers,
      end(error) {
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        span.end();
      },
    };
  },
};

/** Without an SDK, the API makes spans whose id is all zeros. */
const isRegistered = (): boolean => {
  const span = tracer.startSpan('is anybody there');
  return isSpanContextValid(span.spanContext());
};

export const tracing: typeof spans | undefined = isRegistered() ? spans : undefined;
