import { IssueId, isTimestamp, isValid } from '@freebets/contract';

// Compares a real response with the one in the docs: the same keys and types everywhere, and the same values, except for
// generated ones.

const generated = new Set(['next_cursor', 'request_id', 'secret']);

export interface Comparison {
  /** Lists of the response may be longer than the lists in the docs. */
  shortened: boolean;
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
};

/** The differences, each with its path; empty if there are none. */
export function differences(shown: unknown, real: unknown, how: Comparison, path = ''): string[] {
  const kind = kindOf(shown);
  if (kind !== kindOf(real))
    return [`${path || 'the answer'} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
  if (kind === 'list') return listDifferences(shown as unknown[], real as unknown[], how, path);
  if (kind === 'object') return objectDifferences(shown as object, real as object, how, path);
  return isAlike(shown, real, path) ? [] : [`${path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
}

function listDifferences(shown: unknown[], real: unknown[], how: Comparison, path: string): string[] {
  const rightLength = how.shortened ? real.length >= shown.length : real.length === shown.length;
  if (!rightLength) return [`${path} has ${real.length} items, not ${shown.length}`];
  return shown.flatMap((item, i) => differences(item, real[i], how, `${path}[${i}]`));
}

function objectDifferences(shown: object, real: object, how: Comparison, path: string): string[] {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  const reals = new Map(Object.entries(real));
  const found = Object.entries(shown).flatMap(([key, value]) => {
    if (!reals.has(key)) return [`${at(key)} is missing`];
    return differences(value, reals.get(key), how, at(key));
  });
  const unexpected = [...reals.keys()].filter((key) => !Object.hasOwn(shown, key));
  return [...found, ...unexpected.map((key) => `${at(key)} is not shown`)];
}

function isAlike(shown: unknown, real: unknown, path: string): boolean {
  if (shown === real || generated.has(path.split('.').at(-1) ?? '')) return true;
  if (typeof shown !== 'string' || typeof real !== 'string') return false;
  const isUuid = (text: string) => isValid(IssueId, text);
  return [isTimestamp, isUuid].some((isOfForm) => isOfForm(shown) && isOfForm(real));
}
