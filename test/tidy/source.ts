import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, parseSync } from 'oxc-parser';

// The repository as its syntax trees have it: what each file imports, exports and says, and how long its functions are.

const root = fileURLToPath(new URL('../..', import.meta.url));

export const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((path) => path !== '');

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export interface Import {
  /** A path in the repository, or the name of a package. */
  from: string;
  /** The names as the other file has them; all of them where the whole file is imported. */
  names: string[] | 'all';
  /** The names that this file exports again. */
  isReexport: boolean;
  /** The name by which a whole file goes here. */
  as?: string;
}

interface Extent {
  line: number;
  lines: number;
}

export interface Source {
  path: string;
  text: string;
  imports: Import[];
  /** The exports declared here, and the ones that are types. */
  exports: string[];
  types: string[];
  functions: Extent[];
  /** Every string literal in it. */
  strings: string[];
}

interface OwnManifest {
  name: string;
  exports?: string | Record<string, string>;
}

/** The entries of our own packages, by the names they are imported under. */
const entries = new Map(
  tracked
    .filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))
    .flatMap((path) => {
      const { name, exports = 'package.json' }: OwnManifest = JSON.parse(read(path));
      const all = typeof exports === 'string' ? { '.': exports } : exports;
      return Object.entries(all).map(([entry, file]): [string, string] => [
        join(name, entry),
        normalize(join(dirname(path), file)),
      ]);
    }),
);

export const entryPaths = new Set(entries.values());

function resolve(path: string, name: string): string {
  return name.startsWith('.') ? normalize(join(dirname(path), name)) : (entries.get(name) ?? name);
}

type Found = Pick<Source, 'functions' | 'strings'> & { dynamic: string[] };

const isTestCall = (parent: Node | undefined): boolean =>
  parent?.type === 'CallExpression' &&
  parent.callee.type === 'Identifier' &&
  ['test', 'it', 'describe'].includes(parent.callee.name);

/** Visits every node below this one; a test or a group of tests is no function of its own. */
function visit(node: Node, parent: Node | undefined, found: Found, lineOf: (offset: number) => number): void {
  if (/Function/.test(node.type) && !node.type.startsWith('TS') && !isTestCall(parent)) {
    const line = lineOf(node.start);
    found.functions.push({ line, lines: lineOf(node.end) - line + 1 });
  }
  if (node.type === 'Literal' && typeof node.value === 'string') found.strings.push(node.value);
  if (node.type === 'TemplateElement') found.strings.push(node.value.cooked ?? '');
  if (node.type === 'ImportExpression' && node.source.type === 'Literal') found.dynamic.push(String(node.source.value));
  if (node.type === 'TSImportType') found.dynamic.push(node.source.value);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof child.type === 'string') {
        visit(child, node, found, lineOf);
      }
    }
  }
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function parse(path: string): Source {
  const text = read(path);
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: Found = { functions: [], strings: [], dynamic: [] };
  visit(program as Node, undefined, found, lineCounter(text));
  const named = (entries: { importName: { kind: string; name?: string | null } }[]): string[] | 'all' =>
    entries.some(({ importName }) => importName.kind !== 'Name' && importName.kind !== 'Default')
      ? 'all'
      : entries.map(({ importName }) => importName.name ?? 'default');
  const imported = module.staticImports.map(
    ({ moduleRequest, entries }): Import => ({
      from: resolve(path, moduleRequest.value),
      names: named(entries),
      isReexport: false,
      ...(named(entries) === 'all' && entries[0] && { as: entries[0].localName.value }),
    }),
  );
  const all = module.staticExports.flatMap(({ entries }) => entries);
  const reexported = all.flatMap((entry): Import[] =>
    entry.moduleRequest
      ? [{ from: resolve(path, entry.moduleRequest.value), names: named([entry]), isReexport: true }]
      : [],
  );
  const declared = all.filter(({ moduleRequest }) => !moduleRequest);
  const nameOf = (entry: (typeof all)[number]) => entry.exportName.name ?? 'default';
  const dynamic = found.dynamic.map((name): Import => ({ from: resolve(path, name), names: 'all', isReexport: false }));
  return {
    path,
    text,
    imports: [...imported, ...reexported, ...dynamic],
    exports: declared.map(nameOf),
    types: declared.filter(({ isType }) => isType).map(nameOf),
    ...found,
  };
}

export const sources: Source[] = tracked.filter((path) => /\.(tsx?|js)$/.test(path)).map(parse);
