import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { differences } from './answers.ts';
import { examplesOf, missingTools, type Ran, runDocument } from './document.ts';
import { documents, readDocument } from './markdown.ts';

// Runs every example of the docs against a server with the demo data, and compares its output with the docs.
// Each page gets a server of its own, because each must work without the others.

const missing = missingTools();
const skip = missing.length > 0 && `the examples need ${missing.join(', ')}`;

for (const file of documents()) {
  if (examplesOf(file).length === 0) continue;
  test(`the examples of ${file}`, { skip }, async (t) => {
    const { env: database } = await testDatabase();
    // As with the embedded database, webhooks may be on this machine.
    const env = { ...database, WEBHOOK_ALLOW_PRIVATE: 'yes' };
    // The docs describe a server with default settings.
    const server = await testServer({ ...env, RATE_LIMIT: '1000', RATE_BURST: '2000', STAFF_MFA: 'off' });
    for (const ran of await runDocument(file, server.url, { ...env, PUBLIC_URL: server.url })) {
      const { language, line } = ran.block;
      await t.test(`line ${line} (${language})`, { skip: whyNotRun(ran) }, () => check(ran));
    }
  });
}

function whyNotRun({ result, block }: Ran): string | false {
  if (result === 'no interpreter') return `${block.language} is not on this machine, or runs with --long only`;
  return result === 'not reached' && 'an earlier example has failed';
}

function check({ result, stdout, stderr, answer }: Ran): void {
  assert.equal(result, 'done', `${result}\n${stdout}\n${stderr}`);
  if (answer === undefined) {
    assert.ok(!isErrorBody(stdout), stdout);
  } else if (answer.language === 'text') {
    assert.equal(withoutDaysAndIds(stdout), withoutDaysAndIds(answer.code));
  } else {
    const how = { shortened: answer.note === 'shortened' };
    assert.deepEqual(differences(JSON.parse(answer.code), parse(stdout), how), [], stdout);
  }
}

test('all pages for partners define the same function for calls', () => {
  const definitions = documents('docs/partners/')
    .map((file) => /^call\(\) \{\n[\s\S]*?^\}$/m.exec(readDocument(file))?.[0])
    .filter((code) => code !== undefined);
  assert.equal(new Set(definitions.map((code) => code.replace('demo-rival-secret', 'demo-partner-secret'))).size, 1);
});

const uuid = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const day = /\d{4}-\d{2}-\d{2}/g;
const withoutDaysAndIds = (text: string) => text.replaceAll(uuid, 'ID').replaceAll(day, 'DAY').trim();

function parse(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return assert.fail(`this is not JSON: ${stdout}`);
  }
}

function isErrorBody(stdout: string): boolean {
  try {
    return Object.hasOwn(JSON.parse(stdout), 'error');
  } catch {
    return false;
  }
}
