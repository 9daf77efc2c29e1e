import { read, tracked } from './source.ts';

// Words and phrases that make a reader decode a sentence, and how often the repository still has each. Write the plain form
// instead: name the actor, use the term of art, say what a thing does. The counts only go down.

export const avoided: Record<string, number> = {
  anew: 0,
  asleep: 0,
  'at a stroke': 0,
  awake: 0,
  'be it': 0,
  'bec[oa]me of': 0,
  beside: 0,
  'but for': 0,
  'is there already': 0,
  'mends?': 0,
  nobody: 11,
  'of (ours|theirs)': 0,
  'of whom': 0,
  'one time': 0,
  'so many': 0,
  somebody: 0,
  stands: 0,
  'the own': 0,
  'those (who|that|which)': 1,
  tired: 0,
  told: 0,
  whatever: 1,
  whichever: 0,
  whoever: 0,
};

/** Migrations are never changed once they have run, and the changelog and decisions record the past. */
const isKept = (path: string): boolean =>
  /\/migrations\/|^CHANGELOG\.md$|^docs\/decisions\/|^test\/tidy\/|^package-lock\.json$|\/vectors\//.test(path);

const texts = tracked
  .filter((path) => /\.(tsx?|m?js|md|json|ya?ml|sql|css|html|py|php)$|^\.env\.example$/.test(path) && !isKept(path))
  .map(read);

/** How often the sources, the docs and the messages have it, as a word of its own. */
export function count(word: string): number {
  const pattern = new RegExp(`(?<![\\w-])(${word})(?![\\w-])`, 'gi');
  return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}
