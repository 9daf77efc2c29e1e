import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall } from '../../support/staff.ts';

const { env } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });

test('the people of the demo sign in with their public password, each with a role and a scope of their own', async () => {
  const people = [];
  for (const name of ['admin', 'manager', 'second', 'support', 'auditor']) {
    const email = `${name}@demo.example`;
    const person = await acceptedStaffCall(url, '/Session/SignIn', { email, password: 'demo-staff-password' });
    assert.equal(person.must_set_up_second_factor, false);
    people.push([person.email, person.role, person.partners]);
  }
  assert.deepEqual(people, [
    ['admin@demo.example', 'admin', null],
    ['manager@demo.example', 'manager', null],
    ['second@demo.example', 'manager', [1]],
    ['support@demo.example', 'support', [1]],
    ['auditor@demo.example', 'auditor', null],
  ]);
});

test('without the embedded database, the sign-in page does not offer the demo accounts', async () => {
  const answer = await fetch(`${url}/console/api/Session/Ways`);
  assert.deepEqual(await answer.json(), { sso: false, demo: false });
});
