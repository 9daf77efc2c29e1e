import { openApi } from '@freebets/contract';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Services } from './services.ts';

// What people look at: the reference, the document it is made from, and the pictures of games that this server draws.

export function addPages(app: FastifyInstance, services: Services): void {
  app.get('/openapi.json', async () => openApi(services.publicUrl(), services.version));
  app.get('/', async (_request, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { game: string; file: string } }>('/assets/games/:game/:file', async ({ params }, reply) => {
    const picture = services.picture(params.game, params.file.replace(/\.svg$/, ''));
    if (picture === undefined) return reply.callNotFound();
    return reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(picture);
  });
  app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Freebets',
      pageTitle: 'Freebets API',
      // The page must work without the internet: no fonts, no proxy and no assistants from elsewhere.
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      // A request must be signed over its bytes, which the page cannot do.
      hideClientButton: true,
      hideTestRequestButton: true,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}
