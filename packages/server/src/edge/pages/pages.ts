import { readFile } from 'node:fs/promises';
import { openApi } from '@freebets/contract';
import type { FastifyInstance } from 'fastify';
import type { Sending } from '../sending.ts';
import type { EdgeServices } from '../services.ts';
import { guides, renderGuide } from './guides.ts';
import { htmlPage, type Page } from './html.ts';
import { loadReferenceScript, referencePage } from './reference.ts';
import { kept, type Resource, resource, sendResource } from './resource.ts';
import { startPage } from './start-page.ts';
import { tryPage } from './try-page.ts';

// What people look at: the guides, the reference, the page that signs and sends, the document the reference is made from, and
// the pictures of games that this server draws.

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Whatever a page brings comes from here, and no other page may show it in a frame. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pagePolicy = `${closedPolicy}; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'self'`;
/** The script of the reference writes styles into its page, some without the nonce that it knows of; it runs none. */
const referencePolicy = `${closedPolicy}; script-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'`;

const securityHeaders = {
  'content-security-policy': closedPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const files: Record<string, () => Promise<Resource>> = {
  'pages.css': ownFile('pages.css', 'text/css; charset=utf-8'),
  'icon.svg': ownFile('icon.svg', 'image/svg+xml'),
  'try.js': ownFile('try.js', script),
  'copy.js': ownFile('copy.js', script),
  'contents.js': ownFile('contents.js', script),
  'reference.js': ownFile('reference.js', script),
  'scalar.js': kept(async () => resource(script, await loadReferenceScript())),
};

function ownFile(name: string, type: string): () => Promise<Resource> {
  return kept(async () => resource(type, await readFile(new URL(`browser/${name}`, import.meta.url))));
}

export function addPages(app: FastifyInstance, services: EdgeServices, sending: Sending): void {
  app.register(async (pages) => {
    pages.addHook('onRequest', async (_request, reply) => void reply.headers(securityHeaders));
    addDocument(pages, services, sending);
    addDocumentation(pages, services, sending);
    addPictures(pages, services);
  });
}

function addDocument(app: FastifyInstance, { publicUrl, version }: EdgeServices, sending: Sending): void {
  const document = kept(async () =>
    resource('application/json; charset=utf-8', JSON.stringify(openApi(publicUrl(), version))),
  );
  app.get('/openapi.json', async (request, reply) => sendResource(sending, request, reply, await document()));
}

type Described = Pick<Page, 'place' | 'title' | 'content'> & Partial<Page>;

function addDocumentation(app: FastifyInstance, { publicUrl, version }: EdgeServices, sending: Sending): void {
  const add = (path: string, describe: () => Promise<Described>, policy = pagePolicy) => {
    const page = kept(async () =>
      resource(html, htmlPage({ version, scripts: [], className: 'page', ...(await describe()) })),
    );
    app.get(path, async (request, reply) => {
      reply.header('content-security-policy', policy);
      return sendResource(sending, request, reply, await page());
    });
  };
  app.get('/', async (_request, reply) => reply.redirect('console/'));
  app.get('/docs', async (_request, reply) => reply.redirect('docs/'));
  add('/docs/', async () => ({ place: './', title: 'Freebets', content: startPage(publicUrl()) }));
  for (const guide of guides) {
    add(`/docs/${guide}`, async () => {
      const { title, content } = await renderGuide(guide, publicUrl());
      return { place: guide, title: `${title} · Freebets`, scripts: ['copy.js', 'contents.js'], content };
    });
  }
  const signing = { title: 'Try it · Freebets', scripts: ['try.js', 'copy.js'], content: tryPage };
  add('/docs/try', async () => ({ place: 'try', ...signing }));
  const drawn = { title: 'Reference · Freebets', scripts: ['scalar.js', 'reference.js'], content: referencePage };
  add('/docs/reference', async () => ({ place: 'reference', className: 'reference', ...drawn }), referencePolicy);
  app.get<{ Params: { name: string } }>('/docs/files/:name', async (request, reply) => {
    const { name } = request.params;
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    return file === undefined ? reply.callNotFound() : sendResource(sending, request, reply, await file());
  });
}

function addPictures(app: FastifyInstance, { picture }: EdgeServices): void {
  // Pages of partners show them, wherever those are; opened by itself a picture can do nothing at all.
  const headers = {
    'content-security-policy': `${closedPolicy}; sandbox`,
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=3600',
  };
  app.get<{ Params: { game: string; file: string } }>('/assets/games/:game/:file', async ({ params }, reply) => {
    const drawn = picture(params.game, params.file.replace(/\.svg$/, ''));
    return drawn === undefined ? reply.callNotFound() : reply.headers(headers).type('image/svg+xml').send(drawn);
  });
}
