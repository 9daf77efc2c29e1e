import { commonPasswords, commonWords } from './guessed-passwords.ts';

// What a password must not be: what others have too, what follows from the keyboard or the alphabet, and what everybody knows of
// the person. Beyond that a long one of any kind is good.

const leastCharacters = 12;
/** A password that is known but for fewer characters than these is as good as known. */
const leastUnknown = 6;

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

/** Why it cannot be taken; undefined when it can. */
export function whatIsWrongWithPassword(
  given: string,
  { email, name }: { email: string; name: string },
): string | undefined {
  const password = given.normalize('NFC').toLowerCase();
  if ([...password].length < leastCharacters) return `must have at least ${leastCharacters} characters`;
  if (isRepetition(password) || isMadeOfRuns(password)) return 'must not be a sequence or a repetition';
  if (isCommon(password)) return 'must not be one that many people have';
  const [own = '', domain = ''] = email.toLowerCase().split('@');
  const known = [
    ...own.split(/[^\p{L}\p{N}]+/u),
    domain.split('.')[0] ?? '',
    ...name.toLowerCase().split(/[^\p{L}\p{N}]+/u),
  ];
  return unknownIn(password, [...known, 'freebets', 'freebet']) < leastUnknown
    ? 'must not be made of your name, your e-mail address or the name of the service'
    : undefined;
}

/** Up to three of the words that many passwords are made of, with whatever but letters around them. */
const fewWords = new RegExp(`^[^\\p{L}]*(?:(?:${commonWords.join('|')})[^\\p{L}]*){1,3}$`, 'u');

function isCommon(password: string): boolean {
  const spelled = [...password].map((character) => lookalikes[character] ?? character).join('');
  // What stands at the end is more often a number than letters in disguise.
  const half = password.replace(/^(.*\p{L})/su, (begun) => spelled.slice(0, begun.length));
  return commonPasswords.has(password) || [password, spelled, half].some((each) => fewWords.test(each));
}

/** How many letters and digits are left beside these words. */
function unknownIn(text: string, words: readonly string[]): number {
  const longestFirst = words.filter((word) => word.length > 2).toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), text);
  return [...rest.replace(/[^\p{L}\p{N}]/gu, '')].length;
}

/** Something of up to four characters, again and again. */
function isRepetition(password: string): boolean {
  const characters = [...password];
  return [1, 2, 3, 4].some((period) => characters.every((each, i) => i < period || each === characters[i - period]));
}

/** Pieces of the alphabet, the digits or the keyboard, of four characters or more, and little else. */
function isMadeOfRuns(password: string): boolean {
  let others = 0;
  for (let at = 0; at < password.length; ) {
    const length = longestRunAt(password, at);
    others += length < 4 ? 1 : 0;
    at += length < 4 ? 1 : length;
  }
  return others < leastUnknown;
}

function longestRunAt(password: string, at: number): number {
  let length = 0;
  while (at + length < password.length && runs.some((run) => run.includes(password.slice(at, at + length + 1))))
    length++;
  return length;
}
