import { compileSchema, type FieldError, IssueItem, operations, type Validate } from '@freebets/contract';

const validators = new Map(Object.entries(operations).map(([name, { request }]) => [name, compileSchema(request)]));

export const validateRequest = (operation: string, body: unknown): FieldError[] =>
  validators.get(operation)?.(body) ?? [];

export const validateIssueItem: Validate = compileSchema(IssueItem);
