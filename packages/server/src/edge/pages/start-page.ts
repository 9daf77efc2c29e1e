import { sections } from './contents.ts';
import { escapeHtml } from './html.ts';
import type { Site } from './site.ts';

export function startPage({ listed }: Site): string {
  const cards = sections.map(({ title, summary }) => {
    const pages = listed.filter(({ section }) => section === title);
    const links = pages.map((page) => `<li><a href="${page.path}">${escapeHtml(page.title)}</a></li>`);
    return pages.length === 0
      ? ''
      : `<section><h2>${title}</h2><p>${summary}</p><ul>${links.join('')}</ul></section>\n`;
  });
  return `<main class="start">
<h1>Freebets documentation</h1>
<p class="lead">Free-bet campaigns and the game catalogue, called server to server with signed JSON requests.</p>
<p>All operations with their fields and errors are in the <a href="reference">API reference</a>. You can
<a href="try">sign and send a request</a> from this browser; the secret never leaves the page. For programs there is the
<a href="../openapi.json">OpenAPI document</a>.</p>
<div class="cards">
${cards.join('')}</div>
</main>`;
}
