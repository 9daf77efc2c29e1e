import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import {
  compileSchema,
  type DetailBudget,
  type FieldError,
  IssueItem,
  JobItem,
  maxDetails,
  maxItemsOfPart,
  type OperationName,
  operations,
  uuidPattern,
  type Validate,
} from '@freebets/contract';
import type { Slice } from './fair-work.ts';

// UUIDs may be sent in any case. They are lower-cased once, when a request has been validated, so that rules, maps and
// SQL compare them as text. Ids that partners choose as text, such as those of campaigns, keep their case.

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

/** For values of a schema; undefined if the schema has no UUID. */
function lowerIdsOf(schema: Schema): LowerIds | undefined {
  const forms = [schema, schema.then, schema.else, ...(schema.anyOf ?? [])].filter((form) => form !== undefined);
  if (forms.some(({ pattern }) => pattern === uuidPattern)) return lowerId;
  const fields = new Map<string, LowerIds>();
  let lowerItem: LowerIds | undefined;
  for (const form of forms) {
    for (const [name, field] of Object.entries(form.properties ?? {})) {
      const lower = lowerIdsOf(field);
      if (lower !== undefined) fields.set(name, lower);
    }
    const items = form['x-items'] ?? form.items;
    if (items !== undefined) lowerItem ??= lowerIdsOf(items);
  }
  return lowerItem === undefined && fields.size === 0 ? undefined : (value) => lowerWithin(value, fields, lowerItem);
}

function lowerWithin(value: unknown, fields: ReadonlyMap<string, LowerIds>, lowerItem: LowerIds | undefined): unknown {
  if (Array.isArray(value)) return lowerItem === undefined ? value : value.map(lowerItem);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const [name, lower] of fields) if (object[name] !== undefined) object[name] = lower(object[name]);
  return object;
}

const validators = new Map<OperationName, Validate>();
for (const [name, { request }] of Object.entries(operations)) {
  validators.set(name as OperationName, compileRequest(request));
}

/** Validates requests. The UUIDs of a valid request are lower-cased in place. */
export function compileRequest(schema: object): Validate {
  const validate = compileSchema(schema);
  const lowerIds = lowerIdsOf(schema);
  return (request, budget) => {
    const details = validate(request, budget);
    if (details.length === 0) lowerIds?.(request);
    return details;
  };
}

export function validateRequest(operation: OperationName, body: unknown): FieldError[] {
  const budget = { left: maxDetails };
  const details = validatorOf(operation)(body, budget);
  if (operation !== 'JobAdd') return details;
  return [...details, ...[...wrongItems(body, budget)].flat()];
}

/** The same for a large body of `JobAdd`, the only operation whose items are validated one by one. */
export async function validateJobAdd(body: unknown, slice: Slice): Promise<FieldError[]> {
  const budget = { left: maxDetails };
  const details = validatorOf('JobAdd')(body, budget);
  for (const wrong of wrongItems(body, budget)) {
    details.push(...wrong);
    if (slice.isOver()) await slice.pause();
  }
  return details;
}

function validatorOf(operation: OperationName): Validate {
  const validate = validators.get(operation);
  assert(validate, 'every operation has a schema');
  return validate;
}

const validateJobItem = compileSchema(JobItem);

/**
 * Items of a job are checked one by one: all at once, thousands of items would be checked up to the first error only.
 */
function* wrongItems(body: unknown, budget: DetailBudget): Generator<FieldError[]> {
  const items = (body as { items?: unknown } | null)?.items;
  if (!Array.isArray(items) || items.length > maxItemsOfPart) return;
  for (const [i, item] of items.entries()) {
    if (budget.left <= 0) return;
    yield validateJobItem(item, budget).map(({ field, reason }) => ({
      field: field === '' ? `items[${i}]` : `items[${i}].${field}`,
      reason,
    }));
  }
}

/**
 * Compiles all schemas, so that no request has to wait for its own: about 200 ms of processor time, in steps between
 * which requests are served.
 */
export async function compileAll(): Promise<void> {
  for (const validate of [...validators.values(), validateIssueItem, validateJobItem]) {
    await setImmediate();
    // Every request must name its caller, and every item its player, so an invalid value matches neither form of a schema.
    validate({});
  }
}

export const validateIssueItem: Validate = compileSchema(IssueItem);
