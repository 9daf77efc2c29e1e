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
  type Validate,
} from '@freebets/contract';

const validators = new Map<OperationName, Validate>();
for (const [name, { request }] of Object.entries(operations)) {
  validators.set(name as OperationName, compileSchema(request));
}

export function validateRequest(operation: OperationName, body: unknown): FieldError[] {
  const validate = validators.get(operation);
  assert(validate, 'every operation has a schema');
  const budget = { left: maxDetails };
  const details = validate(body, budget);
  return operation === 'JobAdd' ? [...details, ...wrongItems(body, budget)] : details;
}

const validateJobItem = compileSchema(JobItem);

/** One by one, as many as details name: all at once, thousands of items would be checked up to the first error only. */
function wrongItems(body: unknown, budget: DetailBudget): FieldError[] {
  const items = (body as { items?: unknown } | null)?.items;
  if (!Array.isArray(items) || items.length > maxItemsOfPart) return [];
  const wrong: FieldError[] = [];
  for (const [i, item] of items.entries()) {
    if (budget.left <= 0) break;
    for (const { field, reason } of validateJobItem(item, budget)) {
      wrong.push({ field: field === '' ? `items[${i}]` : `items[${i}].${field}`, reason });
    }
  }
  return wrong;
}

/**
 * Compiles all schemas, so that no request has to wait for its own: about 200 ms of processor time, in steps between which
 * requests are served.
 */
export async function compileAll(): Promise<void> {
  for (const validate of [...validators.values(), validateIssueItem, validateJobItem]) {
    await setImmediate();
    // Every request must name its caller, and every item its player: what is invalid makes both forms of a schema.
    validate({});
  }
}

export const validateIssueItem: Validate = compileSchema(IssueItem);
