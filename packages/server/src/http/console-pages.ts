import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consolePath } from '@freebets/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { tagOf } from '../ready-bytes.ts';
import type { ConsoleServices } from './console/call.ts';
import { kept, type Resource, resource, sendResource } from './pages/resource.ts';
import type { Sending } from './sending.ts';

// The console, as files that were built at installation. Every address below it is the one page, which finds its screen by
// itself; what the page loads has a name of its own for each version, and is kept for good.

const folder = fileURLToPath(new URL('../../../console/dist', import.meta.url));
const missing =
  'The console is not built here: "npm ci" builds it, unless development is left out. The API works without it.';

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** By their names; each is read when it is first asked for, and with it how it was compressed at the build. */
function builtFiles(): Map<string, () => Promise<Resource>> {
  const names = readdirSync(`${folder}/assets`).filter((name) => !/\.(gz|br)$/.test(name));
  return new Map(names.map((name) => [name, kept(() => builtFile(name))]));
}

async function builtFile(name: string): Promise<Resource> {
  const read = (ending: string) => readFile(`${folder}/assets/${name}${ending}`);
  const [plain, gzip, brotli] = await Promise.all([read(''), read('.gz'), read('.br')]);
  const type = types[extname(name)] ?? 'application/octet-stream';
  return { type, etag: tagOf(plain), plain, gzip, brotli, isForGood: true };
}

export function addConsolePages(app: FastifyInstance, services: ConsoleServices, sending: Sending): void {
  app.register(async (pages) => {
    pages.get('/console', ({ url }, reply) => reply.redirect(`console/${new URL(url, 'http://localhost').search}`));
    if (!existsSync(`${folder}/index.html`)) {
      pages.get('/console/*', (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(missing));
      return;
    }
    const page = readFileSync(`${folder}/index.html`, 'utf8');
    const files = builtFiles();
    pages.get<{ Params: { '*': string } }>('/console/assets/*', async (request, reply) => {
      const file = files.get(request.params['*']);
      return file === undefined ? reply.callNotFound() : sendResource(sending, request, reply, await file());
    });
    const icon = kept(async () => resource('image/svg+xml', await readFile(`${folder}/icon.svg`)));
    pages.get('/console/icon.svg', async (request, reply) => sendResource(sending, request, reply, await icon()));
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
