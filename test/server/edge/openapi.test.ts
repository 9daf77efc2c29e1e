import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { errors, operations } from '@freebets/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);
// biome-ignore lint/suspicious/noExplicitAny: the linter below checks its shape.
const document = (await (await fetch(`${url}/openapi.json`)).json()) as any;
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'freebets-openapi-'));
after(() => rmSync(folder, { recursive: true }));

test('the OpenAPI document passes the linter', async () => {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const linter = fileURLToPath(new URL('../../../node_modules/.bin/redocly', import.meta.url));
  const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await run(process.execPath, [linter, 'lint', file, '--extends', 'recommended'], { env: quiet });
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
    for (const [part, { content }] of [
      ['Request', post.requestBody],
      ['Response', post.responses[200]],
    ]) {
      const validate = ajv.getSchema(`document#/components/schemas/${name}${part}`);
      const examples = Object.values<{ value: unknown }>(content['application/json'].examples);
      assert.ok(examples.length > 0);
      for (const { value } of examples)
        assert(validate?.(value), `${name}${part}: ${JSON.stringify(validate?.errors)}`);
    }
  }
});

test('the document has a coefficient with a win, and with nothing else', () => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  for (const name of ['RoundsSettle', 'SandboxRound'] as const) {
    const isDocumented = ajv.compile(document.components.schemas[`${name}Request`]);
    const { coefficient, result: _, ...without } = operations[name].example.request;
    const outcomes = [
      [{ result: 'won', coefficient }, true],
      [{ result: 'won' }, false],
      [{ result: 'lost' }, true],
      [{ result: 'lost', coefficient }, false],
    ] as const;
    for (const [outcome, isRight] of outcomes) assert.equal(isDocumented({ ...without, ...outcome }), isRight);
  }
});

test('both forms of Issue have an example, by name', () => {
  const { post } = document.paths['/FreeBets/Issue'];
  for (const { content } of [post.requestBody, post.responses[200]]) {
    assert.deepEqual(Object.keys(content['application/json'].examples), ['by_campaign', 'direct']);
  }
});

test('the document is made once: its bytes, compressed or not, go by one tag', async () => {
  const plain = await fetch(`${url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
  const etag = plain.headers.get('etag') ?? '';
  assert.match(etag, /^W\/"[\w-]{22}"$/);
  assert.equal(plain.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.deepEqual(await plain.json(), document);
  const { stdout } = await run('curl', ['-s', '-H', 'accept-encoding: gzip', `${url}/openapi.json`], {
    encoding: 'buffer',
  });
  assert.deepEqual(JSON.parse(gunzipSync(stdout).toString()), document);
  const again = await fetch(`${url}/openapi.json`, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), '');
});

interface Sample {
  lang: string;
  label: string;
  source: string;
}

const samplesOf = (path: string): Sample[] => document.paths[path].post['x-codeSamples'];
const languages = ['shell', 'javascript', 'python', 'php', 'java'];

test('every operation shows in every language how the header is made, and none that a secret is sent', () => {
  for (const [name, { path }] of Object.entries(operations)) {
    const samples = samplesOf(path);
    assert.deepEqual([...new Set(samples.map(({ lang }) => lang))], languages, name);
    for (const { source, label } of samples) {
      assert.match(source, /hmac/i, `${name}, ${label}`);
      assert.ok(source.includes(`${url}/v3${path}`), `${name}, ${label}`);
      assert.doesNotMatch(source, /X-REQUEST-SIGN["']?\s*[:,]\s*["']?\$?\{?(SECRET|YOUR)/i, `${name}, ${label}`);
    }
  }
  assert.equal(samplesOf('/FreeBets/Issue').length, 2 * languages.length);
});

const programs: Record<string, [program: string, suffix: string]> = {
  shell: ['bash', 'sh'],
  javascript: [process.execPath, 'mjs'],
  python: ['python3', 'py'],
  php: ['php', 'php'],
  java: ['java', 'java'],
};

const isThere = (program: string) =>
  run('sh', ['-c', 'command -v "$1"', 'sh', program]).then(
    () => true,
    () => false,
  );

for (const { lang, source } of samplesOf('/Game/List')) {
  test(`the sample in ${lang} gets an answer`, async (t) => {
    const [program = '', suffix] = programs[lang] ?? [];
    if (!(await isThere(program))) return t.skip(`${program} is not on this machine`);
    const file = join(folder, `sample.${suffix}`);
    writeFileSync(file, source);
    const { PATH = '', HOME = folder } = process.env;
    const surroundings = { PATH, HOME, LANG: 'C.UTF-8', SECRET: 'demo-partner-secret' };
    const { stdout } = await run(program, [file], { env: surroundings, cwd: folder });
    assert.match(stdout, /"providers":\[\{"name":"Lantern Quay"/);
  });
}
