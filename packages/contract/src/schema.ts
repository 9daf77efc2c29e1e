import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldError } from './errors.ts';
import { hasShapeOfTimestamp, isTimestamp } from './formats.ts';

// Schemas reject unknown fields and never coerce: "10" is not 10. A refusal lists all wrong fields, up to a limit. A
// value is first checked up to its first error, which is always cheap. Only a value of ordinary size is then checked
// again for all errors. (Checking a body of 340,000 wrong items for all errors would block the process for 3 s.)

/** Enough to correct any request by hand. Limits the response, which could otherwise be larger than the request. */
export const maxDetails = 100;
/** The number of nested values. No valid request has as many. */
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
      // The pattern of the field already refuses other strings than numbers.
      return !isString(least) || !isString(most) || !(Number(least) > Number(most));
    },
  },
  {
    keyword: 'x-not-after',
    type: 'object' as const,
    schemaType: 'array' as const,
    validate: ([from, until]: [string, string], value: Record<string, unknown>) => {
      const [earlier, later] = [value[from], value[until]];
      // The format of the field already refuses other strings than times.
      return !isString(earlier) || !isString(later) || !(Date.parse(earlier) > Date.parse(later));
    },
  },
];

const newAjv = (allErrors: boolean) =>
  new Ajv2020({
    allErrors,
    // Adds the schema to errors, because the reasons below use it.
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    // Accepts strings without the shape of a time, because their pattern has already refused them.
    formats: { 'date-time': (text: string) => !hasShapeOfTimestamp(text) || isTimestamp(text) },
    keywords,
    // A test checks that the contract's schemas are valid. Checking that here, and optimizing the generated code,
    // doubled the time of compilation and did not make validation faster.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });

const untilFirst = newAjv(false);
const forAll = newAjv(true);

/** The number of details that may still be collected, shared by the values of one response. */
export interface DetailBudget {
  left: number;
}

/** Returns the errors of a value by field; empty if the value is valid. */
export type Validate = (value: unknown, budget?: DetailBudget) => FieldError[];

export function compileSchema(schema: object, thoroughUpTo = ordinarySize): Validate {
  // Compiles on first use, because compiling all operations took a third of the start of a server and of every command.
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

/** Checks a single value, such as an id from the command line. */
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
  // Drops `if` errors: they only repeat that a branch failed, and the errors of that branch list the fields.
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
  // Many JSON parsers refuse lone surrogates.
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

/** A reason for every keyword in the contract's schemas, in the words of the person who filled in the field. */
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
  // These two occur only when clients check responses, which may come from another server. Other errors say more.
  const: ({ params }) => `must be ${params.allowedValue}`,
  anyOf: () => 'has none of the allowed forms',
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
