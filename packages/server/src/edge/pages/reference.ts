/**
 * The script that renders the reference. Its package exposes the text only through a route of a Fastify plugin. It is
 * loaded on first use, because it has 4 MB and most servers never need it.
 */
export async function loadReferenceScript(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const scripts: string[] = [];
  const reply = { header: () => reply, send: (text: string) => scripts.push(text) };
  const route = ({ url, handler }: { url: string; handler(request: unknown, answer: typeof reply): void }) => {
    if (url.endsWith('.js')) handler(undefined, reply);
  };
  plugin({ route } as never, { configuration: { content: {} } }, () => {});
  const [script] = scripts;
  if (script === undefined) throw new Error('the package of the reference has no script');
  return Buffer.from(script);
}

export const referencePage = `<div id="reference"></div>
<noscript><p class="notice">The reference needs JavaScript. The same is in <a href="../openapi.json">openapi.json</a>.</p></noscript>`;
