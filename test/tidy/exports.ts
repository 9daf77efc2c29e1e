import type { Source } from './source.ts';

// Finds unused exports. A value is used by another file that imports it, directly or through other files; for one of a
// package, a test or the benchmark is not enough, unless the file that has it uses it too. A type may also just be
// part of what its own file exports, so that callers can name the type.

/** Who imports each name of each file, as "path name". */
function usersOf(sources: Source[]): Map<string, Set<string>> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const users = new Map<string, Set<string>>();
  const use = (path: string, name: string, user: string) => {
    const key = `${path} ${name}`;
    const known = users.get(key) ?? new Set();
    if (known.has(user)) return;
    users.set(key, known.add(user));
    for (const { from, names, isReexport } of byPath.get(path)?.imports ?? []) {
      if (isReexport && (names === 'all' || names.includes(name))) use(from, name, user);
    }
  };
  for (const { path, imports, text } of sources) {
    for (const { from, names, isReexport, as } of imports) {
      if (isReexport) continue;
      const wanted =
        names === 'all'
          ? (byPath.get(from)?.exports ?? []).filter((name) => name === 'default' || isNamed(text, name, as))
          : names;
      for (const name of wanted) use(from, name, path);
    }
  }
  return users;
}

/** For a file that is imported as a whole, the names used after its name, or anywhere if it has none. */
const isNamed = (text: string, name: string, as: string | undefined): boolean =>
  new RegExp(as === undefined ? `\\b${name}\\b` : `\\b${as}\\.${name}\\b`).test(text);

const count = (text: string, name: string): number => [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;

export function unusedExports(sources: Source[]): string[] {
  const users = usersOf(sources);
  const isOurs = (path: string) => path.startsWith('packages/');
  const isUsed = ({ path, text, types }: Source, name: string): boolean => {
    const all = [...(users.get(`${path} ${name}`) ?? [])];
    const isUsedHere = count(text, name) > 1;
    if (types.includes(name) && isUsedHere) return true;
    return isOurs(path) ? all.some(isOurs) || (all.length > 0 && isUsedHere) : all.length > 0;
  };
  return sources.flatMap((source) =>
    source.exports.filter((name) => !isUsed(source, name)).map((name) => `${source.path}: ${name}`),
  );
}
