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

// Traces, for whoever has registered an SDK of OpenTelemetry before the program was loaded (node --import …). Without one, `tracing` is
// undefined, and what could be traced costs a look at that.

const tracer = trace.getTracer('freebets', version);

/** An attempt that is under way, and the headers that tell the other side of it. */
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
  /** Of the requests whose commands it carried out. */
  requests: (SpanContext | undefined)[];
}

const spans = {
  /** Belongs to the trace that the caller names in its `traceparent`. */
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

  /** What `work` does belongs to the span. */
  within: <T>(span: Span, work: () => T): T => context.with(trace.setSpan(context.active(), span), work),

  /** Of the request that is being served. */
  current: (): SpanContext | undefined => trace.getActiveSpan()?.spanContext(),

  /** After it was committed: it belongs to many requests, and so is a trace of its own with links to them. */
  batch({ startedAt, loadMs, commitMs, commands, partners, requests }: TracedBatch): void {
    // One for a request, however many commands it had: only so many links are kept.
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

/** Spans of the API itself, where no SDK is registered, have an id of zeros. */
const isRegistered = (): boolean => {
  const span = tracer.startSpan('is anybody there');
  return isSpanContextValid(span.spanContext());
};

export const tracing: typeof spans | undefined = isRegistered() ? spans : undefined;
