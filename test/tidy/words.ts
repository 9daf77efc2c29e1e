import { read, tracked } from './source.ts';

// Words and phrases that make a reader decode a sentence, and how often the repository still has each. Write the plain form
// instead: name the actor, use the term of art, say what a thing does. The counts only go down.

export const avoided: Record<string, number> = {
  anew: 11,
  asleep: 0,
  'at a stroke': 0,
  awake: 0,
  'be it': 3,
  'bec[oa]me of': 3,
  beside: 25,
  'but for': 6,
  'is there already': 8,
  'mends?': 0,
  nobody: 132,
  'of (ours|theirs)': 9,
  'of whom': 2,
  'one time': 8,
  'so many': 19,
  somebody: 47,
  stands: 33,
  'the own': 1,
  'those (who|that|which)': 29,
  tired: 0,
  told: 141,
  whatever: 43,
  whichever: 3,
  whoever: 19,
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
