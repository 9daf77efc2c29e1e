import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { providerRules } from '../../../packages/server/src/check/provider/provider-rules.ts';
import { serverChecks } from '../../../packages/server/src/check/server/server-check.ts';
import { webhookChecks } from '../../../packages/server/src/check/webhook/webhook-check.ts';
import { fileOf, folder } from '../../support/files.ts';
import { runCommand } from '../../support/server.ts';
import { memoryServer, secrets } from './memory-server.ts';
import { serverFaults } from './server-faults.ts';

const all = [...serverChecks, ...webhookChecks, ...providerRules];
const secretFile = fileOf(secrets.get(1) ?? '');
const args = ['--secret-file', secretFile];

test('every rule has an id of its own, a sentence, advice, and a heading of a guide that is there', () => {
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  const anchorsOf = (file: string) =>
    readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
  for (const { id, rule, advice, guide } of all) {
    assert.match(id, /^[a-z]+\.[a-z-]+$/);
    assert.match(rule, /^[A-Z0-9b].*\.$/, id);
    assert.match(advice, /^\S.*[.$]$/, id);
    const [name = '', anchor = ''] = guide.split('#');
    assert.ok(anchorsOf(`${name}.md`).includes(anchor), `${id}: ${guide}`);
  }
});

test('a report is written as JUnit and as one page, and the exit code tells what came of it', async () => {
  const url = await memoryServer(serverFaults['idempotency.other-content']);
  const [junit, html] = [join(folder, 'report.xml'), join(folder, 'report.html')];
  const files = ['--junit', junit, '--html', html, '--json'];
  const { stdout, code } = await runCommand(
    {},
    'check',
    'server',
    url,
    ...args,
    '--only',
    'idempotency, isolation.feed',
    ...files,
  );
  assert.equal(code, 3);
  const report = JSON.parse(stdout);
  assert.deepEqual([report.certified, report.only], [false, ['idempotency', 'isolation.feed']]);
  assert.deepEqual(report.counts, { passed: 7, failed: 1, skipped: 0, unchecked: 1 });
  const xml = readFileSync(junit, 'utf8');
  assert.match(xml, /<testsuites name="freebets check server" tests="9" failures="1" errors="0" skipped="1"/);
  assert.match(xml, /<testcase name="idempotency\.other-content: .*<failure message="The same id with another amount/);
  const page = readFileSync(html, 'utf8');
  assert.match(
    page,
    /A part, which certifies nothing \(idempotency, isolation\.feed\): 7 of 9 rules hold, 1 are broken/,
  );
  assert.match(page, /curl -sS -i -X POST/);
  assert.doesNotMatch(page, /<script|<link|<img|src=/, 'it needs nothing else');
  for (const [, link = ''] of page.matchAll(/href="([^"]*)"/g)) {
    assert.ok(existsSync(new URL(link)), `${link}: no server shows the guides, so it leads to a file that is there`);
  }
  assert.ok(
    !page.includes(secrets.get(1) ?? '') && !stdout.includes(secrets.get(1) ?? ''),
    'no secret is written down',
  );
});

test('exit codes: 0 certified, 4 not all could be checked, 1 it could not begin', async () => {
  const url = await memoryServer();
  const codeOf = async (...more: string[]) => (await runCommand({}, 'check', 'server', ...more)).code;
  assert.equal(await codeOf(url, ...args, '--only', 'signature.missing'), 0);
  assert.equal(await codeOf(url, ...args, '--only', 'signature.missing,isolation.read'), 4);
  const misspelt = await runCommand({}, 'check', 'server', url, ...args, '--only', 'signatures');
  assert.match(misspelt.stderr, /^There is no rule signatures: --only takes rule IDs or modules \(signature, /);
  assert.equal(await codeOf(url, '--secret-file', fileOf('another')), 1);
  assert.equal(await codeOf('http://127.0.0.1:1', ...args), 1);
  assert.equal(await codeOf('nowhere', ...args), 1);
  const twice = await runCommand(
    {},
    'check',
    'server',
    url,
    ...args,
    '--other-client',
    '1',
    '--other-secret-file',
    secretFile,
  );
  assert.equal(twice.stderr, '--client and --other-client must be different partners.\n');
  const nowhere = await runCommand({}, 'check', 'server', url, ...args, '--html', join(folder, 'no/where.html'));
  assert.match(nowhere.stderr, /^The report can't be written to/);
  assert.equal(nowhere.stdout, '', 'which is said before anything is checked');
});
