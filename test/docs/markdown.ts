import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Markdown as far as the tests of the docs read it: fenced blocks, marked parts, headings, links.

export const root = fileURLToPath(new URL('../../', import.meta.url));

export const readDocument = (file: string): string => readFileSync(root + file, 'utf8');

/** Every document of the project, as paths from its root. */
export function documents(folder = ''): string[] {
  const skipped = ['node_modules', 'data', 'dist'];
  return readdirSync(root + folder, { withFileTypes: true })
    .filter(({ name }) => !skipped.includes(name) && !name.startsWith('.'))
    .flatMap((entry) => {
      const path = folder + entry.name;
      if (entry.isDirectory()) return documents(`${path}/`);
      return entry.name.endsWith('.md') ? [path] : [];
    });
}

export interface Block {
  language: string;
  /** What follows the language on the line that opens the block. */
  note: string;
  code: string;
  line: number;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\S+)(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    note: match[2]?.trim() ?? '',
    code: match[3] ?? '',
    line: markdown.slice(0, match.index).split('\n').length,
  }));
}

/** The text between `<!-- name -->` and `<!-- /name -->`, without the line breaks next to the marks. */
export function marked(markdown: string, name: string): string | undefined {
  return new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)<!-- /${name} -->`).exec(markdown)?.[1];
}

export const withMarked = (markdown: string, name: string, text: string): string =>
  markdown.replace(new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`), (_, open, close) => {
    return open + text + close;
  });

const withoutBlocks = (markdown: string) => markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');

const ownAnchor = /<a id="([\w.-]+)"><\/a>/g;

/** The anchors of headings, as hosts of repositories make them, and those written as `<a id="…"></a>`. */
export function anchorsOf(markdown: string): string[] {
  const text = withoutBlocks(markdown);
  const seen = new Map<string, number>();
  const ofHeadings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replaceAll(ownAnchor, '')
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return [...ofHeadings, ...[...text.matchAll(ownAnchor)].map(([, id = '']) => id)];
}

/** Counts words as `wc -w` does, code and tables included. */
export const wordsIn = (markdown: string): number => markdown.split(/\s+/).filter((word) => word !== '').length;

/** Targets of links within the project. */
export const relativeLinksOf = (markdown: string): string[] =>
  [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
