import assert from 'node:assert/strict';
import { ErrorBody, type ErrorName, errors, isTimestamp, type OperationName, operations } from '@freebets/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer } from './caller.ts';

// Every response must match the schema of the contract and the table of errors, in addition to the checks of a test.

const ajv = new Ajv2020({ allErrors: true, strict: false, formats: { 'date-time': isTimestamp } });
const compiled = new Map<object, ValidateFunction>();

export function assertMatches(schema: object, value: unknown): void {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (!validate(value)) assert.fail(`${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
}

/** Asserts a success that matches the schema of this operation; returns the body. */
export function accepted(name: OperationName, answer: Answer) {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.match(String(answer.headers['x-request-id']), /^[A-Za-z0-9._-]{1,64}$/);
  assertMatches(operations[name].response, answer.body);
  return answer.body;
}

/** Asserts a refusal with this row of the table. With `fields`, the details must list exactly these fields. */
export function refused(error: ErrorName, answer: Answer, fields?: string[]) {
  const { status, code, message } = errors[error];
  assert.equal(`${answer.status} ${answer.body?.error}`, `${status} ${error}`, answer.text);
  assert.equal(answer.body.code, code);
  assert.equal(answer.body.message, message);
  assertMatches(ErrorBody, answer.body);
  assert.equal(answer.headers['x-request-id'], answer.body.request_id);
  assert.match(answer.body.doc_url, new RegExp(`^https?://.+/docs/reference/errors#${error}$`));
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  if (fields) assert.deepEqual(fieldsOf(answer.body), fields.toSorted());
  return answer.body;
}

/** The distinct fields in the details of an error, sorted. */
export const fieldsOf = (body: { details?: { field: string }[] }): string[] =>
  [...new Set(body.details?.map(({ field }) => field))].sort();
