import type { Source } from './source.ts';

// The rooms of the server and of the packages, and which of them each may import.

/** In the order of their floors: a room imports only rooms above it. Packages of the repository come first. */
export const rooms: Record<string, string[]> = {
  contract: [],
  client: [],
  'embedded-postgres': [],
  console: ['client', 'contract'],
  primitives: ['contract'],
  engine: ['primitives'],
  background: ['engine', 'primitives'],
  audit: ['contract', 'background', 'engine', 'primitives'],
  placement: ['engine'],
  calls: ['contract', 'primitives', 'engine', 'audit'],
  partners: ['contract', 'primitives', 'engine', 'audit', 'calls', 'people'],
  promo: ['contract', 'primitives', 'engine', 'background', 'audit', 'calls', 'people', 'partners'],
  events: ['contract', 'primitives', 'engine', 'background', 'audit', 'calls', 'people', 'partners', 'promo'],
  people: ['contract', 'primitives', 'engine', 'background', 'audit', 'calls'],
  reports: ['contract', 'primitives', 'engine', 'audit', 'calls', 'promo', 'events'],
  edge: ['contract', 'primitives', 'engine', 'audit', 'calls'],
  demo: ['contract', 'primitives', 'engine', 'partners', 'promo', 'people'],
  check: ['client', 'contract', 'primitives', 'edge', 'events', 'calls', 'partners', 'promo'],
};

/** They build the rest and may import all of it. */
export const builders = ['main.ts', 'ops', 'admin'];

export function roomOf(path: string): string | undefined {
  const [, name, room] = /^packages\/([^/]+)\/src\/([^/]+)/.exec(path) ?? [];
  return name === 'server' ? room : name;
}

const isApi = (path: string): boolean => /\/(api\.ts|api\/[^/]+\.ts)$/.test(path);

function isAllowed(path: string, from: string): boolean {
  const [here, there] = [roomOf(path) as string, roomOf(from) as string];
  if (here === there || builders.includes(here)) return true;
  if (here === 'edge' && isApi(from)) return true;
  // It has to know who calls.
  if (isApi(path) && ['calls', 'people'].includes(there)) return true;
  return rooms[here]?.includes(there) ?? false;
}

/** Imports that the rooms forbid, as "file imports file". */
export const forbiddenImports = (sources: Source[]): string[] =>
  sources.flatMap(({ path, imports }) =>
    roomOf(path) === undefined
      ? []
      : [...new Set(imports.map(({ from }) => from))]
          .filter((from) => roomOf(from) !== undefined && !isAllowed(path, from))
          .map((from) => `${path} imports ${from}`),
  );

/** Permissions that no import uses, as "room room". */
export function unusedPermissions(sources: Source[]): string[] {
  const used = new Set(
    sources.flatMap(({ path, imports }) => imports.map(({ from }) => `${roomOf(path)} ${roomOf(from)}`)),
  );
  return Object.entries(rooms).flatMap(([here, allowed]) =>
    allowed.map((there) => `${here} ${there}`).filter((passage) => !used.has(passage)),
  );
}

/** Files that import each other, directly or through others, imports of types included. */
export function circles(sources: Source[]): string[][] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>();
    const left = [...(importsOf.get(start) ?? [])];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      left.push(...(importsOf.get(path) ?? []));
    }
    return seen;
  };
  const all = new Map([...importsOf.keys()].map((path) => [path, reached(path)]));
  const found = new Map<string, string[]>();
  for (const [path, seen] of all) {
    if (!seen.has(path)) continue;
    const circle = [...seen].filter((other) => all.get(other)?.has(path)).toSorted();
    found.set(circle.join(' '), circle);
  }
  return [...found.values()];
}
