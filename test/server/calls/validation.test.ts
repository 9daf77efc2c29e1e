import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IssueItem, JobItem, type OperationName, operations } from '@freebets/contract';
import { compileAll, validateIssueItem, validateRequest } from '../../../packages/server/src/calls/validation.ts';

// In a process of its own: others have compiled schemas already.

test('once all schemas are compiled, no request compiles one, valid or not', async (t) => {
  // Compiled code is made by this, and by nothing else.
  let compiled = 0;
  const { Function: original } = globalThis;
  globalThis.Function = new Proxy(original, {
    construct(target, given) {
      compiled += 1;
      return Reflect.construct(target, given);
    },
  });
  t.after(() => {
    globalThis.Function = original;
  });
  await compileAll();
  const names = Object.keys(operations) as OperationName[];
  // Operations may share a schema; each has two forms.
  const schemas = new Set<object>([...names.map((name) => operations[name].request), IssueItem, JobItem]);
  assert.equal(compiled, 2 * schemas.size);
  compiled = 0;
  for (const name of names) assert.notDeepEqual(validateRequest(name, {}), []);
  assert.notDeepEqual(validateIssueItem({}), []);
  assert.equal(compiled, 0);
});
