import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldError } from './errors.ts';
import { hasShapeOfTimestamp, isTimestamp } from './formats.ts';

// Schemas reject unknown fields and never coerce: "10" is not 10. One answer names every field that is wrong, within a
// bound: a value is checked up to its first error, which costs little whatever was sent, and only one of ordinary size is
// then checked again for all of them. (A body of 340,000 wrong items, checked for all, keeps everybody waiting for 3 s.)

/** Enough to mend any request by hand; a body full of errors must not be answered with a larger one. */
export const maxDetails = 100;
/** Values within values; no valid request has as many. */
const ordinarySize = 5000;

const isString = (value: unknown): value is string => typeof value === 'string';

const keywords = [
  { keyword: 'x-items' },
  { keyword: 'x-form' },
  { keyword: 'x-only' },
  {
    keyword: 'x-distinct-by',
    type: 'array' as const,
    schemaType: 'string' as const,
    validate: (field: string, items: unknown[]) => {
      const values = items.map((item) => (item as Record<string, unknown> | null)?.[field]).filter(isString);
      return new Set(values).size === values.length;
    },
  },
  {
    keyword: 'x-not-above',
    type: 'object' as const,
    schemaType: 'array' as const,
    validate: ([low, high]: [string, string], value: Record<string, unknown>) => {
      const [least, most] = [value[low], value[high]];
      // What is not a number has failed its own pattern.
      return !isString(least) || !isString(most) || !(Number(least) > Number(most));
    },
  },
  {
    keyword: 'x-not-after',
    type: 'object' as const,
    schemaType: 'array' as const,
    validate: ([from, until]: [string, string], value: Record<string, unknown>) => {
      const [earlier, later] = [value[from], value[until]];
      // What is not a time has failed its own format.
      return !isString(earlier) || !isString(later) || !(Date.parse(earlier) > Date.parse(later));
    },
  },
];

const newAjv = (allErrors: boolean) =>
  new Ajv2020({
    allErrors,
    // Errors then carry the schema they come from, which the reasons below quote.
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // What has not the shape of a time has failed its pattern, and is not told twice.
    formats: { 'date-time': (text: string) => !hasShapeOfTimestamp(text) || isTimestamp(text) },
    keywords,
    // The schemas are the contract's own, and a test holds that they are schemas. To check that here, and to polish the code
    // made of them, doubled the time that it takes to compile them; it validates as fast without.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });

const untilFirst = newAjv(false);
const forAll = newAjv(true);

/** How many details may still be collected; shared by values that are answered together. */
export interface DetailBudget {
  left: number;
}

/** What is wrong with a value, field by field; nothing when it is valid. */
export type Validate = (value: unknown, budget?: DetailBudget) => FieldError[];

export function compileSchema(schema: object, thoroughUpTo = ordinarySize): Validate {
  // Compiled when first needed: for all operations at once it took a third of the start of a server, and of every command.
  let validate: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return (value, budget = { left: maxDetails }) => {
    validate ??= untilFirst.compile(schema);
    if (validate(value)) return [];
    let errors = validate.errors ?? [];
    if (budget.left > 0 && isSmallerThan(value, thoroughUpTo)) {
      thorough ??= forAll.compile(schema);
      thorough(value);
      errors = thorough.errors ?? errors;
    }
    const details = detailsOf(errors, Math.max(1, Math.min(budget.left, maxDetails)));
    budget.left -= details.length;
    return details;
  };
}

/** For a single value, such as an id that was typed. */
export const isValid = (schema: object, value: unknown): boolean => untilFirst.validate(schema, value) === true;

function isSmallerThan(value: unknown, bound: number): boolean {
  const waiting = [value];
  for (let counted = 0; waiting.length > 0; counted++) {
    if (counted + waiting.length > bound) return false;
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return true;
}

function detailsOf(errors: ErrorObject[], limit: number): FieldError[] {
  // `if` only repeats that one of its branches failed; that branch has named the fields already.
  const telling = errors.filter((error) => error.keyword !== 'if');
  const details = new Map(telling.map((error) => [`${error.instancePath}${error.keyword}${fieldOf(error)}`, error]));
  const named = [...details.values()].slice(0, limit);
  return named.map((error) => ({ field: fieldOf(error), reason: reasonOf(error) }));
}

function fieldOf({ instancePath, keyword, params, schema }: ErrorObject): string {
  const parent = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joined(path, part)), '');
  if (keyword === 'required') return joined(parent, params.missingProperty);
  // Many readers of JSON take no half of a character.
  if (keyword === 'additionalProperties') return joined(parent, params.additionalProperty.slice(0, 100).toWellFormed());
  return keyword === 'x-not-above' || keyword === 'x-not-after'
    ? joined(parent, (schema as string[])[0] ?? '')
    : parent;
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const kinds: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  null: 'null',
  'integer,null': 'a whole number or null',
  'array,null': 'a list or null',
};

const number = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
const atLeast = (count: number, thing: string) =>
  count === 1 ? 'must not be empty' : `must have at least ${number(count, thing)}`;

/** A row for every keyword that a schema of the contract uses, in the words of whoever filled in the field. */
const reasons: Record<string, (error: ErrorObject) => string> = {
  required: () => 'is missing',
  additionalProperties: () => 'is not a field of this request',
  type: ({ params, parentSchema }) => `must be ${kinds[params.type]}${formOf(parentSchema, ': ')}`,
  minLength: ({ params }) => atLeast(params.limit, 'character'),
  maxLength: ({ params }) => `must have at most ${number(params.limit, 'character')}`,
  minItems: ({ params }) => atLeast(params.limit, 'item'),
  maxItems: ({ params }) => `must have at most ${number(params.limit, 'item')}`,
  minimum: ({ params }) => `must be at least ${params.limit}`,
  maximum: ({ params }) => `must be at most ${params.limit}`,
  pattern: ({ parentSchema }) => `must be${formOf(parentSchema, ' ')}`,
  format: () => 'must be a time that exists, from 1970 on, such as 2027-01-31T12:00:00Z',
  enum: ({ params }) => `must be one of ${params.allowedValues.join(', ')}`,
  uniqueItems: ({ params: { i, j } }) => `must not repeat: items ${Math.min(i, j)} and ${Math.max(i, j)} are equal`,
  'x-distinct-by': ({ schema }) => `must not name the same ${schema} twice`,
  'x-not-above': ({ schema }) => `must not be above ${(schema as string[])[1]}`,
  'x-not-after': ({ schema }) => `must not be after ${(schema as string[])[1]}`,
  // These two are in answers only, which somebody else may have made. What stands before them says more.
  const: ({ params }) => `must be ${params.allowedValue}`,
  anyOf: () => 'has none of the forms that it may have',
};

function formOf(schema: Record<string, unknown> | undefined, before: string): string {
  const form = schema?.['x-form'];
  return isString(form) ? before + form : '';
}

function reasonOf(error: ErrorObject): string {
  const reason = reasons[error.keyword];
  if (reason === undefined) throw new Error(`the reasons have no row for the keyword ${error.keyword}`);
  return reason(error);
}
