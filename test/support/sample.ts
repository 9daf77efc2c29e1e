import assert from 'node:assert/strict';

// The smallest value that a schema of the contract accepts.

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[] | undefined;
  items?: Schema;
  minItems?: number;
  minimum?: number;
  minLength?: number;
  'x-form'?: string;
}

/** By the description of the format in the schema. */
const forms: [RegExp, string][] = [
  [/UUID/, '7d444840-9dc0-41d1-b245-5ffdce74fad2'],
  [/time in UTC/, '2030-01-31T12:00:00Z'],
  [/amount with exactly two decimals/, '1.00'],
  [/e-mail/, 'someone@example.com'],
  [/capitals and digits/, 'EUR'],
  [/lower-case letters, digits and hyphens/, 'nova'],
  [/at least 1, with up to six digits/, '1.50'],
];

export function sampleOf(given: object): unknown {
  const schema = given as Schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sampleOf(first);
  switch (schema.type) {
    case 'object': {
      const named = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(named.map(([name, each]) => [name, sampleOf(each)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return stringOf(schema);
    default:
      return assert.fail(`no sample of ${JSON.stringify(schema)}`);
  }
}

function stringOf({ 'x-form': form = '', minLength = 1 }: Schema): string {
  const [, sample] = forms.find(([words]) => words.test(form)) ?? [];
  return sample ?? 'a'.repeat(Math.max(minLength, 12));
}
