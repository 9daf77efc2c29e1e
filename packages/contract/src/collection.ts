import { basePath, signatureHeader, timeHeader } from './paths.ts';

// Generates a collection of requests for Postman from the OpenAPI document. Bruno imports it too.

interface PathItem {
  post: {
    tags: string[];
    summary: string;
    description: string;
    requestBody: { content: { 'application/json': { examples: Record<string, { summary: string; value: object }> } } };
  };
}

/**
 * Runs before each request. `replaceIn` also resolves variables in Bruno, where `pm.variables.get` would not find
 * those of the collection.
 */
const signingScript = `const { HmacSHA256 } = require('crypto-js');
const sent = pm.request.body;
// Bruno has the body as a string.
const body = pm.variables.replaceIn(typeof sent === 'string' ? sent : sent.raw);
const [path] = /\\${basePath}\\/[\\w\\/]+$/.exec(pm.request.url.toString());
const secret = pm.variables.replaceIn(path.startsWith('${basePath}/Rounds/') ? '{{providerSecret}}' : '{{partnerSecret}}');
const time = String(Math.floor(Date.now() / 1000));
// The signature covers the time, the path and the exact bytes of the body.
const signature = HmacSHA256([time, path, body].join('\\n'), secret).toString();
pm.request.headers.upsert({ key: '${timeHeader.toUpperCase()}', value: time });
pm.request.headers.upsert({ key: '${signatureHeader.toUpperCase()}', value: signature });`;

/** The public IDs and secrets of the demo data. */
const demo = { clientId: '1', partnerSecret: 'demo-partner-secret' };
const demoProvider = { providerId: 'lantern-quay', providerSecret: 'demo-provider-secret-1' };

const bodyOf = (request: object): string =>
  JSON.stringify(request, null, 2)
    .replace(/^ {2}"client_id": \d+/m, '  "client_id": {{clientId}}')
    .replace(/^ {2}"provider_id": "[^"]+"/m, '  "provider_id": "{{providerId}}"');

const requestOf = (path: string, name: string, description: string, request: object) => ({
  name,
  request: {
    method: 'POST',
    description,
    header: [{ key: 'Content-Type', value: 'application/json' }],
    url: `{{baseUrl}}${basePath}${path}`,
    body: { mode: 'raw', raw: bodyOf(request), options: { raw: { language: 'json' } } },
  },
});

function requestsOf(path: string, { post }: PathItem) {
  const examples = Object.values(post.requestBody.content['application/json'].examples);
  return examples.map(({ summary, value }) =>
    requestOf(path, examples.length > 1 ? `${post.summary}: ${summary}` : post.summary, post.description, value),
  );
}

/** `document` is the OpenAPI document. */
export function collectionOf(document: Record<string, unknown>, publicUrl: string) {
  const paths = Object.entries(document.paths as Record<string, PathItem>);
  const tags = document.tags as { name: string; description: string }[];
  return {
    info: { name: 'Freebets', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    variable: Object.entries({ baseUrl: publicUrl, ...demo, ...demoProvider }).map(([key, value]) => ({ key, value })),
    event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: signingScript.split('\n') } }],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: paths.filter(([, { post }]) => post.tags.includes(name)).flatMap(([path, item]) => requestsOf(path, item)),
    })),
  };
}
