import assert from 'node:assert/strict';
import {
  compileSchema,
  type FieldError,
  IssueItem,
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
  return validate(body);
}

export const validateIssueItem: Validate = compileSchema(IssueItem);
