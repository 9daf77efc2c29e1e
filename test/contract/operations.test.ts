import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basePath, GameListResponse, IssueItem, JobItem, operations, staffOperations } from '@freebets/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { examplesOf } from '../../packages/contract/src/operation-types.ts';
import { assertMatches } from '../support/answers.ts';
import { type Schema, schemasIn } from './schemas.ts';

test('what values are checked against is a schema', () => {
  const requests = Object.values(operations).map(({ request }) => request);
  const ajv = new Ajv2020({ strict: false, logger: false });
  for (const schema of [...requests, IssueItem, JobItem, GameListResponse]) {
    assert.equal(ajv.validateSchema(schema), true, JSON.stringify(ajv.errors));
  }
  assert.equal(ajv.validateSchema({ properties: { player_id: { type: 'text' } } }), false);
});

test('no character that a column cannot hold passes a request', () => {
  // Parsed as an address before anything is done with them.
  const addresses = ['SsoBegin/return_to', 'WebhookSet/url'];
  for (const [name, { request }] of Object.entries({ ...operations, ...staffOperations })) {
    for (const [path, schema] of schemasIn(request, name)) {
      const isBound = schema.type !== 'string' || 'pattern' in schema || 'const' in schema || 'enum' in schema;
      assert.equal(isBound, !addresses.includes(path), path);
    }
  }
});

test('every operation of the contract is there, at its path', () => {
  assert.equal(basePath, '/v3');
  assert.deepEqual(
    Object.values(operations)
      .map(({ path }) => path)
      .toSorted(),
    [
      '/Events/List',
      '/FreeBets/Campaign/Create',
      '/FreeBets/Campaign/Get',
      '/FreeBets/Campaign/Limits',
      '/FreeBets/Campaign/List',
      '/FreeBets/Campaign/Pause',
      '/FreeBets/Campaign/Resume',
      '/FreeBets/Campaign/Stop',
      '/FreeBets/Cancel',
      '/FreeBets/Cancel/Batch',
      '/FreeBets/Get',
      '/FreeBets/Issue',
      '/FreeBets/Issue/Batch',
      '/FreeBets/Jobs/Add',
      '/FreeBets/Jobs/Create',
      '/FreeBets/Jobs/Get',
      '/FreeBets/Jobs/List',
      '/FreeBets/Jobs/Refusals',
      '/FreeBets/Jobs/Retry',
      '/FreeBets/Jobs/Start',
      '/FreeBets/Jobs/Stop',
      '/FreeBets/List',
      '/Game/List',
      '/Rounds/Available',
      '/Rounds/Bet',
      '/Rounds/Get',
      '/Rounds/Open',
      '/Rounds/Rollback',
      '/Rounds/Settle',
      '/Sandbox/Clock/Get',
      '/Sandbox/Clock/Set',
      '/Sandbox/Round',
    ],
  );
});

test('every example is valid by its own schema', () => {
  for (const operation of Object.values(operations)) {
    for (const example of examplesOf(operation)) {
      assertMatches(operation.request, example.request);
      assertMatches(operation.response, example.response);
    }
  }
  for (const item of operations.IssueBatch.example.request.items) assertMatches(IssueItem, item);
  for (const item of operations.JobAdd.example.request.items) assertMatches(JobItem, item);
});

test('examples need no escaping in code samples: they have no quote or backslash', () => {
  for (const { path, example } of Object.values(operations)) {
    assert.doesNotMatch(JSON.stringify(example.request), /['`$\\]|"""/, path);
  }
});

/** A pattern that no long string matches: anchored, and nothing in it repeats without end. */
const isBounding = (pattern: unknown) =>
  typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/[*+]/.test(pattern.replace(/\(\?![^)]*\)?[^)]*\)/, ''));

const bounds: Record<string, (schema: Schema) => boolean> = {
  string: ({ maxLength, pattern, enum: choices }) =>
    maxLength !== undefined || choices !== undefined || isBounding(pattern),
  array: ({ maxItems }) => maxItems !== undefined,
  boolean: () => true,
  integer: ({ minimum, maximum }) => minimum !== undefined && maximum !== undefined,
  number: () => false,
  object: ({ additionalProperties, if: choice }) => additionalProperties === false || choice !== undefined,
};

test('every string, array and number of a request has a bound, and every object knows all its fields', () => {
  const unbounded: string[] = [];
  let seen = 0;
  for (const [name, { request }] of Object.entries(operations)) {
    for (const [path, schema] of schemasIn(request, name)) {
      const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
      if (types.length > 0) seen++;
      for (const type of types) if (!bounds[String(type)]?.(schema)) unbounded.push(`${path} (${type})`);
    }
  }
  assert.deepEqual(unbounded, []);
  assert.ok(seen > 60, `only ${seen} schemas were looked at`);
});
