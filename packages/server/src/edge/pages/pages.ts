import { readFile } from 'node:fs/promises';
import { openApi } from '@freebets/contract';
import { type Route, type Routes, redirectTo } from '../../calls/page.ts';
import type { EdgeServices } from '../services.ts';
import { guides, renderGuide } from './guides.ts';
import { htmlPage, type Page } from './html.ts';
import { loadReferenceScript, referencePage } from './reference.ts';
import { madeOnce, pageOf, type Resource, resource } from './resource.ts';
import { startPage } from './start-page.ts';
import { tryPage } from './try-page.ts';

// The routes of the guides, the reference, the try page, the OpenAPI document, and drawn game pictures.

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
    ['/openapi.json', documentRoute(services)],
    ...documentationRoutes(services),
    ['/docs/files/*', filesRoute],
    ['/assets/games/*', pictureRoute(services)],
  ]);

function documentRoute({ publicUrl, version }: PageServices): Route {
  const document = madeOnce(async () =>
    resource('application/json; charset=utf-8', JSON.stringify(openApi(publicUrl(), version))),
  );
  return { headers: securityHeaders, serve: async ({ headers }) => pageOf(headers, await document()) };
}

type Described = Pick<Page, 'place' | 'title' | 'content'> & Partial<Page>;

function documentationRoutes({ publicUrl, version }: PageServices): [string, Route][] {
  const routeOf = (path: string, describe: () => Promise<Described>, policy = pagePolicy): [string, Route] => {
    const page = madeOnce(async () =>
      resource(html, htmlPage({ version, scripts: [], className: 'page', ...(await describe()) })),
    );
    const headers = { ...securityHeaders, 'content-security-policy': policy };
    return [path, { headers, serve: async (request) => pageOf(request.headers, await page()) }];
  };
  const guideRoutes = guides.map((guide) =>
    routeOf(`/docs/${guide}`, async () => {
      const { title, content } = await renderGuide(guide, publicUrl());
      return { place: guide, title: `${title} · Freebets`, scripts: ['copy.js', 'contents.js'], content };
    }),
  );
  const signing = { title: 'Try it · Freebets', scripts: ['try.js', 'copy.js'], content: tryPage };
  const drawn = { title: 'Reference · Freebets', scripts: ['scalar.js', 'reference.js'], content: referencePage };
  return [
    routeOf('/docs/', async () => ({ place: './', title: 'Freebets', content: startPage(publicUrl()) })),
    ...guideRoutes,
    routeOf('/docs/try', async () => ({ place: 'try', ...signing })),
    routeOf('/docs/reference', async () => ({ place: 'reference', className: 'reference', ...drawn }), referencePolicy),
  ];
}

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
