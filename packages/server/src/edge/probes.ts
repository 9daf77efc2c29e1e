import { createServer, type Server } from 'node:http';
import { Registry } from '@prometheus-io/client';
import { jsonPage, type PageResponse } from '../calls/page.ts';
import { keepAliveMs, pathOf } from './app.ts';

// Health checks and metrics for operators, on the main port or on an internal port.

export interface Probes {
  isReady(): boolean;
  metricsText(): Promise<string>;
}

export const probeRoutes = ({
  isReady,
  metricsText,
}: Probes): ReadonlyMap<string, { serve(): Promise<PageResponse> }> =>
  new Map([
    ['/livez', { serve: async () => jsonPage({ status: 'ok' }) }],
    [
      '/readyz',
      { serve: async () => (isReady() ? jsonPage({ status: 'ok' }) : jsonPage({ status: 'unavailable' }, 503)) },
    ],
    [
      '/metrics',
      {
        serve: async () => ({
          headers: { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE },
          body: await metricsText(),
        }),
      },
    ],
  ]);

/** A server with only the probes. */
export function probeServer(probes: Probes): Server {
  const routes = probeRoutes(probes);
  return createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const { url = '', method } = request;
    const route = method === 'GET' || method === 'HEAD' ? routes.get(pathOf(url)) : undefined;
    const none = { status: 404, headers: {}, body: '' };
    (route?.serve() ?? Promise.resolve(none))
      .catch(() => ({ ...none, status: 500 }))
      .then(({ status = 200, headers, body }: PageResponse) => {
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
      });
  });
}
