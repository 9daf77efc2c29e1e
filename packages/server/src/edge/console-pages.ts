import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consolePath } from '@freebets/contract';
import { type PageResponse, type Route, type Routes, redirectTo } from '../calls/page.ts';
import { readyBytes, tagOf } from '../primitives/ready-bytes.ts';
import { madeOnce, pageOf, type Resource, resource } from './pages/resource.ts';
import type { EdgeServices } from './services.ts';

// Serves the console from files built at installation. Every path below `/console/` returns the same page, which
// selects its screen from the path. File names contain a hash of the content, so browsers may cache the files forever.

const built = fileURLToPath(new URL('../../../console/dist', import.meta.url));
const missing =
  'The console is not built here: "npm ci" builds it, unless development is left out. The API works without it.';

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Built files by name. Each is read on first use, together with the forms that the build compressed. */
function builtFiles(assets: string): Map<string, () => Promise<Resource>> {
  const names = existsSync(assets) ? readdirSync(assets).filter((name) => !/\.(gz|br)$/.test(name)) : [];
  return new Map(names.map((name) => [name, madeOnce(() => builtFile(`${assets}/${name}`))]));
}

async function builtFile(path: string): Promise<Resource> {
  const plain = await readFile(path);
  const compressed = (ending: string) => readFile(path + ending).catch(() => undefined);
  const [gzip, brotli] = await Promise.all([compressed('.gz'), compressed('.br')]);
  const ready = gzip === undefined ? await readyBytes(plain) : { etag: tagOf(plain), plain, gzip };
  const type = types[extname(path)] ?? 'application/octet-stream';
  return { type, ...ready, ...(brotli && { brotli }), isImmutable: true };
}

type Addresses = Pick<EdgeServices, 'publicUrl' | 'catalogue'>;

export function consoleRoutes(services: Addresses, folder = built): Routes {
  const start: Route = { serve: async ({ search }) => redirectTo(`console/${search}`) };
  if (!existsSync(`${folder}/index.html`)) {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const absent: Route = { serve: async () => ({ status: 503, headers, body: missing }) };
    return new Map([
      ['/console', start],
      ['/console/*', absent],
    ]);
  }
  const page = readFileSync(`${folder}/index.html`, 'utf8');
  const files = builtFiles(`${folder}/assets`);
  const icon = madeOnce(async () => resource('image/svg+xml', await readFile(`${folder}/icon.svg`)));
  const fileRoute = (find: (name: string) => (() => Promise<Resource>) | undefined): Route => ({
    async serve({ rest, headers }) {
      const found = await find(rest)?.().catch(ignoreMissing);
      return found && pageOf(headers, found);
    },
  });
  return new Map<string, Route>([
    ['/console', start],
    ['/console/*', { serve: async () => consolePage(page, services) }],
    ['/console/icon.svg', fileRoute(() => icon)],
    ['/console/assets/*', fileRoute((name) => files.get(name))],
    // Unknown paths below the operations' prefix are errors, not screens of the console.
    [`${consolePath}/*`, { serve: async () => undefined }],
  ]);
}

/** A later build has replaced the file. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The path prefix of the server, behind a proxy that serves several applications. */
const prefixOf = ({ publicUrl }: Addresses): string => URL.parse(publicUrl())?.pathname.replace(/\/+$/, '') ?? '';

/** The origin of game pictures, the page's only other origin. A host with a `;` would break the policy. */
function picturesAt(services: Addresses): string {
  const { origin = '' } = URL.parse(services.catalogue().imageAssets().base_url) ?? {};
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : '';
}

function consolePage(page: string, services: Addresses): PageResponse {
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
  const headers = {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
  };
  const body = page
    .replace('<base href="/console/"', `<base href="${prefixOf(services)}/console/"`)
    .replace('name="style-nonce" content=""', `name="style-nonce" content="${nonce}"`);
  return { headers, body };
}
