import { commonPasswords, commonWords } from './guessable-passwords.ts';

// Refuses passwords that many people use, sequences of the keyboard or the alphabet, and words from the person's name
// or address. Any other long password is accepted.

const minLength = 12;
/** A password with fewer unpredictable characters than these is easy to guess. */
const minUnknown = 6;

const rows = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
];
const columns = '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p';
const runs = [...rows, columns].flatMap((row) => [row, [...row].reverse().join('')]).map((row) => row.repeat(4));

const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** Why the password is refused; undefined if it is accepted. */
export function passwordProblem(given: string, { email, name }: { email: string; name: string }): string | undefined {
  const password = given.normalize('NFC').toLowerCase();
  if ([...password].length < minLength) return `must have at least ${minLength} characters`;
  if (isRepetition(password) || isMadeOfRuns(password)) return 'must not be a sequence or a repetition';
  if (isCommon(password)) return 'must not be one that many people have';
  const [own = '', domain = ''] = email.toLowerCase().split('@');
  const known = [
    ...own.split(/[^\p{L}\p{N}]+/u),
    domain.split('.')[0] ?? '',
    ...name.toLowerCase().split(/[^\p{L}\p{N}]+/u),
  ];
  return countUnknown(password, [...known, 'freebets', 'freebet']) < minUnknown
    ? 'must not be made of your name, your e-mail address or the name of the service'
    : undefined;
}

/** Up to three common words, surrounded by anything except letters. */
const fewCommonWords = new RegExp(`^[^\\p{L}]*(?:(?:${commonWords.join('|')})[^\\p{L}]*){1,3}$`, 'u');

function isCommon(password: string): boolean {
  const spelled = [...password].map((character) => lookalikes[character] ?? character).join('');
  // Characters after the last letter are more often a number than letters in disguise.
  const half = password.replace(/^(.*\p{L})/su, (begun) => spelled.slice(0, begun.length));
  return commonPasswords.has(password) || [password, spelled, half].some((each) => fewCommonWords.test(each));
}

/** How many letters and digits remain without these words. */
function countUnknown(text: string, words: readonly string[]): number {
  const longestFirst = words.filter((word) => word.length > 2).toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), text);
  return [...rest.replace(/[^\p{L}\p{N}]/gu, '')].length;
}

/** Whether a piece of up to four characters repeats. */
function isRepetition(password: string): boolean {
  const characters = [...password];
  return [1, 2, 3, 4].some((period) => characters.every((each, i) => i < period || each === characters[i - period]));
}

/**
 * Whether the password consists of runs of the alphabet, the digits or the keyboard of four characters or more, and
 * little else.
 */
function isMadeOfRuns(password: string): boolean {
  let others = 0;
  for (let at = 0; at < password.length; ) {
    const length = longestRunAt(password, at);
    others += length < 4 ? 1 : 0;
    at += length < 4 ? 1 : length;
  }
  return others < minUnknown;
}

function longestRunAt(password: string, at: number): number {
  let length = 0;
  while (at + length < password.length && runs.some((run) => run.includes(password.slice(at, at + length + 1))))
    length++;
  return length;
}
