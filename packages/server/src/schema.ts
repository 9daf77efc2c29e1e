import { type FieldError, isTimestamp } from '@freebets/contract';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

// Schemas reject unknown fields and never coerce: "10" is not 10. All errors are collected, so that one answer names
// every field that is wrong.

/** Enough to mend any request by hand; a body full of errors must not be answered with a larger one. */
const maxDetails = 100;

const ajv = new Ajv2020({
  allErrors: true,
  // Errors then carry the schema they come from, which the reasons below quote.
  verbose: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  formats: { 'date-time': isTimestamp },
});

const isString = (value: unknown) => typeof value === 'string';

ajv.addKeyword({ keyword: 'x-items' });

ajv.addKeyword({
  keyword: 'x-distinct-by',
  type: 'array',
  schemaType: 'string',
  validate: (field: string, items: unknown[]) => {
    const values = items.map((item) => (item as Record<string, unknown> | null)?.[field]).filter(isString);
    return new Set(values).size === values.length;
  },
});

ajv.addKeyword({
  keyword: 'x-not-above',
  type: 'object',
  schemaType: 'array',
  validate: ([low, high]: [string, string], value: Record<string, unknown>) => {
    const [least, most] = [Number(value[low]), Number(value[high])];
    return Number.isNaN(least) || Number.isNaN(most) || least <= most;
  },
});

/** What is wrong with a value, field by field; nothing when it is valid. */
export type Validate = (value: unknown) => FieldError[];

export function compileSchema(schema: object): Validate {
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => (validate(value) ? [] : detailsOf(validate.errors ?? []));
}

function detailsOf(errors: ErrorObject[]): FieldError[] {
  // `if` only repeats that one of its branches failed; that branch has named the fields already.
  const telling = errors.filter((error) => error.keyword !== 'if');
  const details = new Map(telling.map((error) => [`${error.instancePath}${error.keyword}${fieldOf(error)}`, error]));
  return [...details.values()]
    .slice(0, maxDetails)
    .map((error) => ({ field: fieldOf(error), reason: reasonOf(error) }));
}

function fieldOf({ instancePath, keyword, params, schema }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') path.push(params.missingProperty);
  if (keyword === 'additionalProperties') path.push(params.additionalProperty.slice(0, 100));
  if (keyword === 'x-not-above') path.push((schema as string[])[0] ?? '');
  return path.reduce((field, part) => {
    if (/^\d+$/.test(part)) return `${field}[${part}]`;
    return field === '' ? part : `${field}.${part}`;
  }, '');
}

const reasons: Partial<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is missing',
  additionalProperties: () => 'is not a field of this request',
  pattern: (error) => formReason(error),
  format: () => 'must be a time that exists, such as 2027-01-31T12:00:00Z',
  enum: ({ params }) => `must be one of ${params.allowedValues.join(', ')}`,
  uniqueItems: ({ params }) => `must not repeat: items ${params.j} and ${params.i} are equal`,
  'x-distinct-by': ({ schema }) => `must not name the same ${schema} twice`,
  'x-not-above': ({ schema }) => `must not be above ${(schema as string[])[1]}`,
};

const reasonOf = (error: ErrorObject): string => reasons[error.keyword]?.(error) ?? error.message ?? 'is not valid';

/** The schema's own description tells better than a pattern what was meant. */
function formReason({ parentSchema }: ErrorObject): string {
  const description = parentSchema?.description;
  return description === undefined ? 'is not of the right form' : `is not of the right form: ${description}`;
}
