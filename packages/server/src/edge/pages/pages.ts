import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { collectionOf, openApi } from '@freebets/contract';
import { type Route, type Routes, redirectTo } from '../../calls/page.ts';
import type { EdgeServices } from '../services.ts';
import { guidePage } from './guides.ts';
import { htmlPage, type Page } from './html.ts';
import { rootOf } from './markdown.ts';
import { loadReferenceScript, referencePage } from './reference.ts';
import { madeOnce, pageOf, type Resource, resource } from './resource.ts';
import { searchIndex } from './search.ts';
import { type DocPage, readSite, type Site } from './site.ts';
import { startPage } from './start-page.ts';
import { tryPage } from './try-page.ts';

// The routes of the documentation, the reference, the try page, the OpenAPI document, and drawn game pictures.

const html = 'text/html; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Pages load only from this server, and other sites can't show them in a frame. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pagePolicy = `${closedPolicy}; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'self'`;
/** The reference script inserts inline styles, some without its nonce. It inserts no inline scripts. */
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
  'search.js': ownFile('search.js', script),
  'reference.js': ownFile('reference.js', script),
  'scalar.js': madeOnce(async () => resource(script, await loadReferenceScript())),
};

function ownFile(name: string, type: string): () => Promise<Resource> {
  return madeOnce(async () => resource(type, await readFile(new URL(`browser/${name}`, import.meta.url))));
}

type PageServices = Pick<EdgeServices, 'publicUrl' | 'version' | 'picture'>;

export const pageRoutes = (services: PageServices): Routes =>
  new Map<string, Route>([
    ['/', { headers: securityHeaders, serve: async () => redirectTo('console/') }],
    ['/docs', { headers: securityHeaders, serve: async () => redirectTo('docs/') }],
    ['/openapi.json', jsonRoute(() => openApi(services.publicUrl(), services.version))],
    ['/docs/collection.json', jsonRoute(() => collectionFor(services))],
    ...documentationRoutes(services),
    ['/docs/files/*', filesRoute],
    ['/docs/images/*', imagesRoute],
    ['/assets/games/*', pictureRoute(services)],
  ]);

function jsonRoute(make: () => object): Route {
  const document = madeOnce(async () => resource('application/json; charset=utf-8', JSON.stringify(make())));
  return { headers: securityHeaders, serve: async ({ headers }) => pageOf(headers, await document()) };
}

const collectionFor = ({ publicUrl, version }: PageServices): object =>
  collectionOf(openApi(publicUrl(), version), publicUrl());

type Described = Pick<Page, 'place' | 'title' | 'content'> & Partial<Page>;

function documentationRoutes({ publicUrl, version }: PageServices): [string, Route][] {
  const site = madeOnce(readSite);
  const made = (describe: () => Promise<Described>) =>
    madeOnce(async () =>
      resource(html, htmlPage({ version, root: '', scripts: [], className: 'page', ...(await describe()) })),
    );
  const routeOf = (path: string, describe: () => Promise<Described>, policy = pagePolicy): [string, Route] => {
    const page = made(describe);
    const headers = { ...securityHeaders, 'content-security-policy': policy };
    return [path, { headers, serve: async (request) => pageOf(request.headers, await page()) }];
  };
  const index = madeOnce(async () => resource('application/json; charset=utf-8', await searchIndex(await site())));
  const signing = { title: 'Try it · Freebets', scripts: ['try.js', 'copy.js'], content: tryPage };
  const drawn = { title: 'API reference · Freebets', scripts: ['scalar.js', 'reference.js'], content: referencePage };
  return [
    routeOf('/docs/', async () => ({ place: './', title: 'Freebets', content: startPage(await site()) })),
    ['/docs/*', guidesRoute(site, (each, page) => made(async () => describedGuide(each, page, publicUrl())))],
    ['/docs/search.json', { headers: securityHeaders, serve: async ({ headers }) => pageOf(headers, await index()) }],
    routeOf('/docs/try', async () => ({ place: 'try', ...signing })),
    routeOf('/docs/reference', async () => ({ place: 'reference', className: 'reference', ...drawn }), referencePolicy),
  ];
}

const describedGuide = (site: Site, page: DocPage, address: string): Described => ({
  place: './',
  root: rootOf(page.path),
  title: `${page.title} · Freebets`,
  scripts: ['copy.js', 'contents.js'],
  content: guidePage(site, page, address),
});

function guidesRoute(site: () => Promise<Site>, make: (site: Site, page: DocPage) => () => Promise<Resource>): Route {
  const made = new Map<string, () => Promise<Resource>>();
  return {
    headers: { ...securityHeaders, 'content-security-policy': pagePolicy },
    async serve({ rest, headers }) {
      const all = await site();
      const page = all.pages.get(rest.replace(/\/$/, ''));
      if (page === undefined) return undefined;
      if (rest.endsWith('/')) return redirectTo(`../${page.path.split('/').at(-1)}`);
      const ready = made.get(page.path) ?? make(all, page);
      made.set(page.path, ready);
      return pageOf(headers, await ready());
    },
  };
}

const imageTypes: Record<string, string> = { '.webp': 'image/webp', '.svg': 'image/svg+xml' };
const imageFolder = new URL('../../../../../docs/images/', import.meta.url);

/** Listed once, so that a path can't lead out of the folder. */
const images = madeOnce(async () => {
  const names = await readdir(imageFolder, { recursive: true });
  const pictures = names.filter((name) => imageTypes[extname(name)] !== undefined);
  return new Map(pictures.map((name) => [name.replaceAll('\\', '/'), madeOnce(() => imageFile(name))]));
});

const imageFile = async (name: string): Promise<Resource> =>
  resource(imageTypes[extname(name)] as string, await readFile(new URL(name, imageFolder)));

/** A diagram opened directly may use its own inline styles. */
const imagesRoute: Route = {
  headers: { ...securityHeaders, 'content-security-policy': `${closedPolicy}; style-src 'unsafe-inline'` },
  async serve({ rest, headers }) {
    const image = (await images()).get(rest);
    return image && pageOf(headers, await image());
  },
};

const filesRoute: Route = {
  headers: securityHeaders,
  async serve({ rest, headers }) {
    const file = Object.hasOwn(files, rest) ? files[rest] : undefined;
    return file && pageOf(headers, await file());
  },
};

/** Partners' sites may embed the pictures. A picture opened directly is sandboxed. */
const pictureHeaders = {
  'content-security-policy': `${closedPolicy}; sandbox`,
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=3600',
  'content-type': 'image/svg+xml',
};

const pictureRoute = ({ picture }: PageServices): Route => ({
  headers: securityHeaders,
  async serve({ rest }) {
    const [game, shape, ...more] = rest.split('/').map(decoded);
    if (game === undefined || shape === undefined || more.length > 0) return undefined;
    const body = picture(game, shape.replace(/\.svg$/, ''));
    return body === undefined ? undefined : { headers: pictureHeaders, body };
  },
});

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
