import { uuidPattern } from '@freebets/contract';

// UUIDs may be sent in any case. They are lower-cased once, when a request has been validated, so that rules, maps and SQL
// compare them as text. Ids that partners choose as text, such as those of campaigns, keep their case.

/** Lower-cases the UUIDs of a value, in place, and returns the value. */
type LowerIds = (value: unknown) => unknown;

interface Schema {
  pattern?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  /** The schema of items that are validated one by one. */
  'x-items'?: Schema;
  anyOf?: Schema[];
  then?: Schema;
  else?: Schema;
}

const lowerId: LowerIds = (value) => (typeof value === 'string' ? value.toLowerCase() : value);

/** For values of a schema; undefined if it has no UUID. */
export function lowerIdsOf(schema: Schema | undefined): LowerIds | undefined {
  if (schema === undefined) return undefined;
  if (schema.pattern === uuidPattern) return lowerId;
  const branches = [...(schema.anyOf ?? []), schema.then, schema.else];
  const found = [
    ...branches.map(lowerIdsOf),
    ...Object.entries(schema.properties ?? {}).map(([name, field]) => lowerField(name, lowerIdsOf(field))),
    lowerItems(lowerIdsOf(schema['x-items'] ?? schema.items)),
  ].filter((each) => each !== undefined);
  return found.length === 0 ? undefined : (value) => found.reduce((lowered, lower) => lower(lowered), value);
}

const lowerField = (name: string, lower: LowerIds | undefined): LowerIds | undefined =>
  lower &&
  ((value) => {
    const fields = value as Record<string, unknown> | null;
    if (fields?.[name] !== undefined) fields[name] = lower(fields[name]);
    return value;
  });

const lowerItems = (lower: LowerIds | undefined): LowerIds | undefined =>
  lower && ((value) => (Array.isArray(value) ? value.map(lower) : value));
