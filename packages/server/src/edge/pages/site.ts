import { readdir, readFile } from 'node:fs/promises';
import { sections } from './contents.ts';

// Reads the pages of the documentation from their files. Pages without a file are left out.

export interface DocPage {
  /** Below `/docs/`. */
  path: string;
  /** From the root of the project. */
  file: string;
  section: string;
  /** Plain text. */
  title: string;
  markdown: string;
  isListed: boolean;
}

export interface Site {
  /** By path. */
  pages: ReadonlyMap<string, DocPage>;
  /** By file. */
  byFile: ReadonlyMap<string, DocPage>;
  /** In the order of the table of contents. */
  listed: readonly DocPage[];
}

const root = new URL('../../../../../', import.meta.url);

const fileOf = (path: string): string => (path === 'architecture' ? 'ARCHITECTURE.md' : `docs/${path}.md`);

const titleIn = (markdown: string): string | undefined => /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '').trim();

async function readPage(path: string, section: string, isListed: boolean): Promise<DocPage | undefined> {
  const file = fileOf(path);
  const markdown = await readFile(new URL(file, root), 'utf8').catch(ignoreMissing);
  return markdown === undefined
    ? undefined
    : { path, file, section, title: titleIn(markdown) ?? path, markdown, isListed };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The decisions have no index file, so that page is a list of links. */
async function readDecisions(section: string): Promise<DocPage[]> {
  const names = await readdir(new URL('docs/decisions/', root)).catch(ignoreMissing);
  const paths = (names ?? []).filter((name) => name.endsWith('.md')).map((name) => `decisions/${name.slice(0, -3)}`);
  const pages = (await Promise.all(paths.sort().map((path) => readPage(path, section, false)))).filter(isPresent);
  if (pages.length === 0) return [];
  const links = pages.map(({ path, title }) => `- [${title}](${path}.md)`);
  const markdown = `# Decisions\n\n${links.join('\n')}\n`;
  return [
    { path: 'decisions', file: 'docs/decisions', section, title: 'Decisions', markdown, isListed: true },
    ...pages,
  ];
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;

export async function readSite(): Promise<Site> {
  const found = await Promise.all(
    sections.flatMap(({ title, pages, unlisted = [] }) => [
      ...pages.map((path) => (path === 'decisions' ? readDecisions(title) : readPage(path, title, true))),
      ...unlisted.map((path) => readPage(path, title, false)),
    ]),
  );
  const all = found.flat().filter(isPresent);
  return {
    pages: new Map(all.map((page) => [page.path, page])),
    byFile: new Map(all.map((page) => [page.file, page])),
    listed: all.filter(({ isListed }) => isListed),
  };
}
