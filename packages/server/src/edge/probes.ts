import { Registry } from '@prometheus-io/client';
import type { FastifyInstance } from 'fastify';

// For those who run the service: on the main port, or on a port of their own.

export interface Probes {
  isReady(): boolean;
  metricsText(): Promise<string>;
}

export function addProbes(app: FastifyInstance, { isReady, metricsText }: Probes): void {
  app.get('/livez', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable' });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await metricsText()),
  );
}
