import { setImmediate as nextTurn } from 'node:timers/promises';
import { partsOf } from './markdown.ts';
import type { Site } from './site.ts';

// The search index: `[path, title, section, parts]` for each page, with `[anchor, heading, text]` for each part. It is
// plain text, because browser/search.js needs the text anyway to show where a word occurs.

export async function searchIndex({ listed }: Site): Promise<string> {
  const pages: unknown[] = [];
  for (const page of listed) {
    const parts = partsOf(page).filter(({ heading, text }) => heading !== '' || text !== '');
    pages.push([page.path, page.title, page.section, parts.map(({ id, heading, text }) => [id, heading, text])]);
    // Requests must not wait until all pages are read.
    await nextTurn();
  }
  return JSON.stringify(pages);
}
