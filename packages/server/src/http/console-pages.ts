import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { consolePath } from '@freebets/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ConsoleServices } from './console/call.ts';

// The console, as files that were built at installation. Every address below it is the one page, which finds its screen by
// itself; what the page loads has a name of its own for each version, and is kept for good.

const folder = fileURLToPath(new URL('../../../console/dist', import.meta.url));
const missing =
  'The console is not built here: "npm ci" builds it, unless development is left out. The API works without it.';

export function addConsolePages(app: FastifyInstance, services: ConsoleServices): void {
  app.register(async (pages) => {
    pages.get('/console', ({ url }, reply) => reply.redirect(`console/${new URL(url, 'http://localhost').search}`));
    if (!existsSync(`${folder}/index.html`)) {
      pages.get('/console/*', (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(missing));
      return;
    }
    const page = readFileSync(`${folder}/index.html`, 'utf8');
    await pages.register(fastifyStatic, {
      root: `${folder}/assets`,
      prefix: '/console/assets/',
      immutable: true,
      maxAge: '1y',
      index: false,
      preCompressed: true,
    });
    await pages.register(fastifyStatic, { root: folder, serve: false, decorateReply: false });
    pages.get('/console/icon.svg', (_request, reply) => reply.sendFile('icon.svg', folder));
    pages.get('/console/*', ({ url }, reply) =>
      // What is not found among the operations is not a screen either.
      url.startsWith(`${consolePath}/`) ? reply.callNotFound() : sendPage(reply, page, services),
    );
  });
}

/** The path under which others reach the server, behind a proxy that has others beside it. */
const prefixOf = ({ publicUrl }: ConsoleServices): string => URL.parse(publicUrl())?.pathname.replace(/\/+$/, '') ?? '';

/** Where the pictures of the games are: the one other place from which the page may load anything. A host may have a `;` in it. */
function picturesAt(services: ConsoleServices): string {
  const { origin = '' } = URL.parse(services.catalogue().imageAssets().base_url) ?? {};
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : '';
}

function sendPage(reply: FastifyReply, page: string, services: ConsoleServices): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data: ${picturesAt(services)}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  return reply
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(
      page
        .replace('<base href="/console/"', `<base href="${prefixOf(services)}/console/"`)
        .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`),
    );
}
