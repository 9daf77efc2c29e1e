import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  consolePath,
  may,
  type OperationName,
  operations,
  type Role,
  roles,
  type StaffOperationName,
  staffOperations,
} from '@freebets/contract';
import { operationsByPath } from '../../../packages/server/src/edge/operations.ts';
import { testDatabase } from '../../support/database.ts';
import { sampleOf } from '../../support/sample.ts';
import { testServer } from '../../support/server.ts';
import { type Staff, signedIn, staffCall } from '../../support/staff.ts';

// Every operation of the console, for every role, inside and outside the scope. Generated from the table of operations,
// so that it covers new rows.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const people = new Map<Role, Staff>();
for (const role of roles) people.set(role, await signedIn(sql, role));
const ofRival = new Map<Role, Staff>();
for (const role of roles) ofRival.set(role, await signedIn(sql, role, [2]));

/** The operations that were called for a partner out of scope. */
const seen = new Set<string>();

const offered = [...operationsByPath.values()].flatMap(({ name, path, staff }) =>
  staff === undefined ? [] : [{ name, path: path.slice(consolePath.length), ...staff }],
);

const requestFor = ({ name }: { name: OperationName | StaffOperationName }): Record<string, unknown> => {
  if (name in operations) return { ...(operations[name as OperationName].example.request as object) };
  const { request } = staffOperations[name as StaffOperationName];
  // Also for an optional partner: it must be in scope if it is given.
  return { ...(sampleOf(request) as object), ...('client_id' in request.properties && { client_id: 1 }) };
};

for (const operation of offered) {
  const { name, path, least, changes } = operation;
  if (least === 'anybody') continue;
  test(`${name}: who may, in scope and out of it`, async () => {
    for (const role of roles) {
      const isAllowed = may(role, least);
      // The role is checked before the input, so invalid input changes nothing here.
      const { status, body } = await staffCall(url, path, { unknown: true }, people.get(role));
      assert.deepEqual([status, body.error], isAllowed ? [400, 'invalid_request'] : [403, 'not_allowed'], role);
    }
    const body = requestFor(operation);
    if (!('client_id' in body)) return;
    const wanted = { ...body, ...(changes && { reason: 'To see whether it can be done' }) };
    const answers = [];
    for (const [role, person] of ofRival) {
      if (!may(role, least)) continue;
      const outside = await staffCall(url, path, { ...wanted, client_id: 1 }, person);
      const nowhere = await staffCall(url, path, { ...wanted, client_id: 99 }, person);
      const { request_id: a, ...first } = outside.body;
      const { request_id: b, ...second } = nowhere.body;
      assert.deepEqual(first, second, 'out of scope is as if it did not exist');
      answers.push(`${outside.status} ${first.error}`);
    }
    assert.deepEqual([...new Set(answers)], ['404 partner_not_found']);
    seen.add(name);
  });
}

test('every change requires a reason', async () => {
  for (const operation of offered.filter(({ changes }) => changes)) {
    const body = { ...requestFor(operation), ...('client_id' in requestFor(operation) && { client_id: 1 }) };
    const answer = await staffCall(url, operation.path, body, people.get('admin'));
    const isRefused = answer.status === 400 && JSON.stringify(answer.body.details).includes('"reason"');
    assert.ok(isRefused, `${operation.name}: ${JSON.stringify(answer.body)}`);
  }
});

test('refused requests change nothing', async () => {
  const { rows } = await sql.query('SELECT record FROM audit');
  assert.deepEqual(rows, []);
});

after(() => {
  assert.ok(seen.size > 20, `${seen.size} operations name a partner`);
  for (const name of [
    'DraftList',
    'ActivityGet',
    'ReportGet',
    'ReportExport',
    'AuditList',
    'AuditVerify',
    'CatalogueGames',
  ]) {
    assert.ok(seen.has(name), `${name} was asked for a partner out of scope`);
  }
});
