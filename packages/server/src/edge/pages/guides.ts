import { readFile } from 'node:fs/promises';
import { operations } from '@freebets/contract';
import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from './html.ts';

// Renders the guides of docs/ as pages. HTML in the guides is escaped.

export const guides = ['partners', 'providers', 'sdk', 'check'] as const;
export type Guide = (typeof guides)[number];

/** The server address in the guides' examples. Pages replace it with their own server's address. */
const shownAddress = 'http://127.0.0.1:8080';

interface Heading {
  id: string;
  html: string;
  depth: number;
}

const references = new Map<string, string>([
  ['/docs', './'],
  ['/docs/reference', 'reference'],
  ['/docs/try', 'try'],
  ['/openapi.json', '../openapi.json'],
  ...Object.values(operations).map(({ path, tag }): [string, string] => [path, referenceTo(tag, path)]),
]);

function referenceTo(tag: string, path: string): string {
  return `reference#tag/${tag.toLowerCase().replaceAll(' ', '-')}/POST${path}`;
}

/** Uses GitHub's anchor names, so that links within a guide work on the page and in the repository. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Allows links to other guides, headings and https addresses. Other links would not work on the page. */
function targetOf(href: string): string {
  const [, guide, anchor = ''] = /^(\w+)\.md(#.+)?$/.exec(href) ?? [];
  if (guide !== undefined && (guides as readonly string[]).includes(guide)) return guide + anchor;
  if (href.startsWith('#') || href.startsWith('https://')) return href;
  throw new Error(`a guide links to ${href}, which has no page`);
}

function rendererOf(address: string, headings: Heading[]) {
  return {
    heading(this: Renderer, { tokens, text, depth }: Tokens.Heading) {
      const id = anchorOf(text);
      const html = this.parser.parseInline(tokens);
      headings.push({ id, html, depth });
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`;
    },
    code({ text, lang = '' }: Tokens.Code) {
      const [language = ''] = lang.split(' ');
      const code = escapeHtml(text.replaceAll(shownAddress, address));
      return `<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${code}</code></pre>\n`;
    },
    codespan({ text }: Tokens.Codespan) {
      const target = references.get(text);
      const code = `<code>${escapeHtml(text)}</code>`;
      return target === undefined ? code : `<a href="${target}">${code}</a>`;
    },
    link(this: Renderer, { href, tokens }: Tokens.Link) {
      return `<a href="${escapeHtml(targetOf(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    table(this: Renderer, token: Tokens.Table) {
      return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return text.startsWith('<!--') ? '' : escapeHtml(text);
    },
  };
}

/** The table of contents in the file. The page generates its own. */
const isContents = (token: Tokens.Generic): boolean =>
  token.type === 'list' && (token as Tokens.List).items.every(({ text }) => /^\[[^\]]+\]\(#[^)]+\)$/.test(text));

export interface RenderedGuide {
  title: string;
  content: string;
}

export async function renderGuide(guide: Guide, address: string): Promise<RenderedGuide> {
  const markdown = await readFile(new URL(`../../../../../docs/${guide}.md`, import.meta.url), 'utf8');
  const headings: Heading[] = [];
  const marked = new Marked({ renderer: rendererOf(address, headings) });
  const tokens = marked.lexer(markdown).filter((token) => !isContents(token));
  const article = marked.parser(tokens);
  const entries = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const contents = entries.map(({ id, html, depth }) => `<li class="depth-${depth}"><a href="#${id}">${html}</a></li>`);
  return {
    title: headings[0]?.html ?? guide,
    content: `<div class="guide">
<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ul>${contents.join('')}</ul></details></nav>
<main><article>${article}</article></main>
</div>`,
  };
}
