import Fastify from 'fastify';

/**
 * The script that draws the reference. Its package has it inside its own code and serves it as a plugin; it gives it no other
 * way. Loaded when it is first asked for: it is 4 MB, and most servers never are.
 */
export async function loadReferenceScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  app.register(scalar, { routePrefix: '/reference', configuration: { content: {} } });
  const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`the script of the reference answered ${statusCode}`);
  return rawPayload;
}

export const referencePage = `<div id="reference"></div>
<noscript><p class="notice">The reference needs JavaScript. The same is in <a href="../openapi.json">openapi.json</a>.</p></noscript>`;
