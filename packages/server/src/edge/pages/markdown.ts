import { posix } from 'node:path';
import { operations } from '@freebets/contract';
import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from './html.ts';
import type { DocPage, Site } from './site.ts';

// Renders Markdown. HTML in it is escaped, except `<a id="…"></a>`.

/** The server address in the examples. Pages replace it with their own server's address. */
const shownAddress = 'http://127.0.0.1:8080';

export interface Heading {
  id: string;
  html: string;
  depth: number;
}

/** The relative address of `/docs/` as seen from a page. Relative addresses also work behind a proxy with a prefix. */
export const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1);

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

const anchorForm = /<a id="([\w.-]+)"><\/a>/;
const allAnchors = new RegExp(anchorForm, 'g');

/** A link must not contain another link. */
const withoutLinks = (html: string): string => html.replaceAll(/<a href="[^"]*">(.*?)<\/a>/g, '$1');

/** Uses GitHub's anchor names, so that links within a page work on the server and in the repository. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(allAnchors, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Returns a function that adds `-1`, `-2`, … to the anchors of repeated headings. */
function anchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  };
}

const anchorExtension = {
  name: 'anchor',
  level: 'inline' as const,
  start: (text: string) => text.search(anchorForm),
  tokenizer(text: string) {
    const [raw, id] = new RegExp(`^${anchorForm.source}`).exec(text) ?? [];
    return raw === undefined ? undefined : { type: 'anchor', raw, id };
  },
  renderer: ({ id }: Tokens.Generic) => `<a id="${id}"></a>`,
};

/** A link's address on the server; undefined if the server has no such page. */
function targetOf(site: Site, { file, path }: DocPage, href: string, address: string): string | undefined {
  if (href.startsWith(`${address}/`)) return `${rootOf(path)}..${href.slice(address.length)}`;
  if (/^(#|https?:\/\/|mailto:)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  // The generated list of decisions links from the folder that contains docs/decisions.
  const named = posix.join(posix.dirname(file), target);
  const page = site.byFile.get(named.replace(/\/$/, ''));
  if (page !== undefined) return rootOf(path) + page.path + (anchor === undefined ? '' : `#${anchor}`);
  return imageOf(named, path);
}

const imageOf = (named: string, path: string): string | undefined =>
  named.startsWith('docs/images/') ? rootOf(path) + named.slice('docs/'.length) : undefined;

function rendererOf(site: Site, page: DocPage, address: string, headings: Heading[]) {
  const root = rootOf(page.path);
  const idOf = anchors();
  return {
    heading(this: Renderer, { tokens, text, depth }: Tokens.Heading) {
      const id = idOf(text);
      const inline = this.parser.parseInline(tokens);
      const html = withoutLinks(inline.replaceAll(allAnchors, '')).trim();
      headings.push({ id, html, depth });
      const own = (inline.match(allAnchors) ?? []).join('');
      return `<h${depth} id="${id}">${own}<a class="anchor" href="#${id}">${html}</a></h${depth}>\n`;
    },
    code({ text, lang = '' }: Tokens.Code) {
      const [language = ''] = lang.split(' ');
      return `<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    codespan({ text }: Tokens.Codespan) {
      const target = references.get(text);
      // In a table, short code stays on one line, and long code wraps.
      const kind = text.length > 32 ? ' class="long"' : '';
      const code = `<code${kind}>${escapeHtml(text)}</code>`;
      return target === undefined ? code : `<a href="${root}${target}">${code}</a>`;
    },
    link(this: Renderer, { href, tokens }: Tokens.Link) {
      const target = targetOf(site, page, href, address);
      const html = withoutLinks(this.parser.parseInline(tokens));
      return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`;
    },
    image({ href, text }: Tokens.Image) {
      const source = imageOf(posix.join(posix.dirname(page.file), href), page.path);
      if (source === undefined) return escapeHtml(text);
      return `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}" loading="lazy">`;
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
const isContents = (token: Token): boolean =>
  token.type === 'list' && (token as Tokens.List).items.every(({ text }) => /^\[[^\]]+\]\(#[^)]+\)$/.test(text));

export interface Rendered {
  article: string;
  headings: Heading[];
}

export function renderMarkdown(site: Site, page: DocPage, address: string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({ renderer: rendererOf(site, page, address, headings) });
  marked.use({ extensions: [anchorExtension] });
  const tokens = marked.lexer(page.markdown.replaceAll(shownAddress, address));
  return { article: marked.parser(tokens.filter((token) => !isContents(token))), headings };
}

/** A page's text from one heading to the next, without its code blocks. */
export interface Part {
  /** Empty before the first heading below the title. */
  id: string;
  heading: string;
  text: string;
}

export function partsOf({ markdown }: DocPage): Part[] {
  const marked = new Marked({ extensions: [anchorExtension] });
  const idOf = anchors();
  const parts: Part[] = [{ id: '', heading: '', text: '' }];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const id = idOf((token as Tokens.Heading).text);
      if ((token as Tokens.Heading).depth > 1) parts.push({ id, heading: textOf(token), text: '' });
    } else if (!isContents(token)) {
      const last = parts.at(-1) as Part;
      last.text = `${last.text} ${textOf(token)}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  return parts;
}

/** Plain text of a token and all tokens in it. */
function textOf(token: Token): string {
  const { type, text = '', tokens, items, header, rows } = token as Tokens.Generic;
  if (['code', 'html', 'anchor', 'hr', 'space'].includes(type)) return '';
  const cells = type === 'table' ? [...header, ...rows.flat()] : undefined;
  const within: Token[] | undefined = tokens ?? items ?? cells;
  if (within === undefined) return type === 'br' ? ' ' : text;
  const isBlock = items !== undefined || cells !== undefined || type === 'list_item' || type === 'blockquote';
  return within.map(textOf).join(isBlock ? ' ' : '');
}
