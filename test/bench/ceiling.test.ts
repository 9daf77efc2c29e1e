import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startProgram } from '../../bench/server.ts';
import { call } from '../support/caller.ts';
import { directIssue } from '../support/requests.ts';

test('what an issue is measured against checks the signature and the request, and answers', async () => {
  const { port, stop } = await startProgram('./ceiling.ts', JSON.stringify({ status: 'active' }));
  try {
    const url = `http://127.0.0.1:${port}`;
    const issue = (changes: object) => call(url, 'Issue', { issue_id: randomUUID(), ...directIssue(changes) });
    const { status, body } = await issue({});
    assert.deepEqual([status, body], [200, { status: 'active' }]);
    assert.equal((await issue({ quantity: 'many' })).status, 400);
  } finally {
    await stop();
  }
});
