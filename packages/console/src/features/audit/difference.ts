// Before and after, field by field.

export interface FieldChange {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Every value by the path to it; a list of words or numbers is one value. */
function leavesOf(value: unknown, path: string): [string, string][] {
  if (!isTree(value)) return value === undefined ? [] : [[path, value === null ? '–' : String(value)]];
  if (Array.isArray(value) && !value.some(isTree)) return [[path, value.length === 0 ? 'none' : value.join(', ')]];
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, path === '' ? name : `${path}.${name}`));
}

/** Null stands for what was not there, or is gone: then there are no fields of it. */
const fieldsOf = (state: unknown): Map<string, string> => new Map(state === null ? [] : leavesOf(state, ''));

export function differenceOf(before: unknown, after: unknown): FieldChange[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((field) => ({
    field,
    before: was.get(field),
    after: is.get(field),
  }));
}
