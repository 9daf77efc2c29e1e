import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperationName, operations } from '@freebets/contract';
import { compileAll, validateIssueItem, validateRequest } from '../../../packages/server/src/http/validation.ts';

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
  assert.ok(compiled >= 2 * names.length, `${compiled} were compiled`);
  compiled = 0;
  for (const name of names) assert.notDeepEqual(validateRequest(name, {}), []);
  assert.notDeepEqual(validateIssueItem({}), []);
  assert.equal(compiled, 0);
});
