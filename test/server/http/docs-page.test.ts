import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errors, operations } from '@freebets/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { testBrowser, whyNoBrowser } from '../../support/browser.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);
// biome-ignore lint/suspicious/noExplicitAny: the linter below checks its shape.
const document = (await (await fetch(`${url}/openapi.json`)).json()) as any;

test('the OpenAPI document passes the linter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-openapi-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const linter = fileURLToPath(new URL('../../../node_modules/.bin/redocly', import.meta.url));
  const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await promisify(execFile)(process.execPath, [linter, 'lint', file, '--extends', 'recommended'], { env: quiet });
});

test('the document has every operation, every error it can answer, and examples that hold', () => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'document', components: document.components });
  for (const [name, operation] of Object.entries(operations)) {
    const { post } = document.paths[operation.path];
    assert.equal(post.operationId, name);
    for (const error of operation.errors) {
      assert(post.responses[errors[error].status].content['application/json'].examples[error], `${name}: ${error}`);
    }
    for (const [part, { example }] of [
      ['Request', { example: post.requestBody.content['application/json'].examples.example.value }],
      ['Response', { example: post.responses[200].content['application/json'].examples.example.value }],
    ] as const) {
      const validate = ajv.getSchema(`document#/components/schemas/${name}${part}`);
      assert(validate?.(example), `${name}${part}: ${JSON.stringify(validate?.errors)}`);
    }
  }
});

test('the reference page shows the operations in a browser that reaches nothing but this server', {
  skip: whyNoBrowser,
}, async () => {
  const browser = await testBrowser();
  const page = await browser.newPage();
  const elsewhere: string[] = [];
  const problems: string[] = [];
  await page.route('**/*', (route) => {
    const target = route.request().url();
    if (target.startsWith(url) || target.startsWith('data:') || target.startsWith('blob:')) return route.continue();
    elsewhere.push(target);
    return route.abort();
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${url}/docs`);
  await page.getByRole('heading', { name: 'Freebets' }).first().waitFor();
  await page.getByText('Create a campaign').first().waitFor();
  await page.goto(`${url}/docs#tag/promo/post/FreeBets/Issue`);
  await page.getByText('Issue a free bet').first().waitFor();
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(problems, []);
});
