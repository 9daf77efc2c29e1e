import { read, tracked } from './source.ts';

// Words and phrases that make a reader decode a sentence. Write the plain form instead: name the actor, use the term of
// art, say what a thing does.

const avoided = [
  'anew',
  'asleep',
  'at a stroke',
  'awake',
  'be it',
  'bec[oa]me of',
  'beside',
  'but for',
  'is there already',
  'mends?',
  'nobody',
  'of (ours|theirs)',
  'of whom',
  'one time',
  'so many',
  'somebody',
  'stands',
  'the own',
  'those (who|that|which)',
  'tired',
  'told',
  'whatever',
  'whichever',
  'whoever',
];

/** Names of others: the system's user `nobody`, and a common password. At most 20. */
export const exceptions = [
  'packages/embedded-postgres/src/run-as.ts: nobody',
  'packages/server/src/people/guessable-passwords.ts: whatever',
  'test/embedded-postgres/as-nobody.ts: nobody',
  'test/embedded-postgres/isolation.test.ts: nobody',
  'test/server/admin/database.test.ts: nobody',
];

/** Migrations are never changed once they have run, and the changelog and decisions record the past. */
const isKept = (path: string): boolean =>
  /\/migrations\/|^CHANGELOG\.md$|^docs\/decisions\/|^test\/tidy\/|^package-lock\.json$|\/vectors\//.test(path);

const pattern = new RegExp(`(?<![\\w-])(${avoided.join('|')})(?![\\w-])`, 'gi');

/** The avoided words in the sources, the docs and the messages, with their files. */
export const avoidedWords = (): string[] =>
  tracked
    .filter((path) => /\.(tsx?|m?js|md|json|ya?ml|sql|css|html|py|php)$|^\.env\.example$/.test(path) && !isKept(path))
    .flatMap((path) => [...new Set(read(path).toLowerCase().match(pattern) ?? [])].map((word) => `${path}: ${word}`))
    .toSorted();
