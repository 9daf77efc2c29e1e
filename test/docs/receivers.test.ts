import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkWebhook } from '../../packages/server/src/check/webhook/webhook-check.ts';
import { until } from '../support/waiting.ts';
import { examplesOf, freePort, isInstalled } from './document.ts';

// The functions of docs/partners/webhooks.md that verify events, in each language. The receivers for frameworks call them.

const folder = mkdtempSync(join(tmpdir(), 'freebets-receivers-'));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const { block } of examplesOf('docs/partners/webhooks.md'))
  if (block.note !== '') writeFileSync(join(folder, block.note), block.code);

const now = Math.floor(Date.now() / 1000);
const body = '{"event_id":"é"}';

function headersOf(secret: string, time = now, signed = body) {
  const sign = createHmac('sha256', secret).update(`event-1.${time}.${signed}`).digest('base64');
  return { 'webhook-id': 'event-1', 'webhook-timestamp': String(time), 'webhook-signature': `v1,${sign}` };
}

const right = headersOf('demo-partner-secret');
const both = `${headersOf('another')['webhook-signature']} ${right['webhook-signature']}`;

const cases: [name: string, headers: Record<string, string>, isGenuine: boolean][] = [
  ['genuine', right, true],
  ['a second signature that fits', { ...right, 'webhook-signature': both }, true],
  ['another secret', headersOf('another'), false],
  ['another body', headersOf('demo-partner-secret', now, '{}'), false],
  ['another id', { ...right, 'webhook-id': 'event-2' }, false],
  ['an hour old', headersOf('demo-partner-secret', now - 3600), false],
  ['an hour ahead', headersOf('demo-partner-secret', now + 3600), false],
  ['a time that is no number', { ...right, 'webhook-timestamp': 'now' }, false],
  ['a truncated signature', { ...right, 'webhook-signature': right['webhook-signature'].slice(0, -1) }, false],
  ['no headers', {}, false],
];

/** Each reads all cases as JSON from stdin, and prints a list of events and nulls. */
const drivers = {
  node: `import { verifyEvent } from './verify-event.mjs'; import { json } from 'node:stream/consumers';
    const { all, body } = await json(process.stdin);
    console.log(JSON.stringify(all.map((headers) => verifyEvent(headers, Buffer.from(body)) ?? null)));`,
  python3: `import json, sys; from verify_event import verify_event
given = json.load(sys.stdin)
print(json.dumps([verify_event(headers, given["body"].encode()) for headers in given["all"]]))`,
  php: `require 'verify-event.php'; ['all' => $all, 'body' => $body] = json_decode(stream_get_contents(STDIN), true);
    $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    $values = fn ($headers) => array_map(fn ($name) => $headers[$name] ?? '', $names);
    echo json_encode(array_map(fn ($headers) => verify_event(...[...$values($headers), $body]), $all));`,
};
const flags = { node: ['--input-type=module', '-e'], python3: ['-c'], php: ['-r'] };

for (const [program, driver] of Object.entries(drivers)) {
  const skip = !isInstalled(program) && `${program} is not installed`;
  test(`the function for ${program} accepts only genuine events`, { skip }, () => {
    const input = JSON.stringify({ all: cases.map(([, headers]) => headers), body });
    const args = [...flags[program as keyof typeof flags], driver];
    const { stdout, stderr } = spawnSync(program, args, { cwd: folder, input, encoding: 'utf8' });
    assert.ok(stdout, stderr);
    const results = JSON.parse(stdout).map((event: unknown, i: number) => [cases[i]?.[0], event]);
    const expected = cases.map(([name, , isGenuine]) => [name, isGenuine ? JSON.parse(body) : null]);
    assert.deepEqual(results, expected);
  });
}

test('the receiver passes the check of receivers, which also sends unknown types', async (t) => {
  const port = await freePort();
  const code = readFileSync(join(folder, 'receiver.mjs'), 'utf8');
  writeFileSync(join(folder, 'receiver-here.mjs'), code.replace('listen(3000', `listen(${port}`));
  const receiver = spawn(process.execPath, ['receiver-here.mjs'], { cwd: folder, stdio: 'ignore' });
  t.after(async () => {
    if (receiver.exitCode === null && receiver.kill()) await once(receiver, 'exit');
  });
  const url = `http://127.0.0.1:${port}/events`;
  const isUp = () =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => false,
    );
  await until('the receiver listens', 10_000, isUp);
  const subject = { url, secret: 'demo-partner-secret', clientId: 1, signing: 'plain', timeoutMs: 15_000 } as const;
  const options = { guideAt: String, only: undefined, onResult() {}, signal: new AbortController().signal };
  const { results } = await checkWebhook(subject, options);
  assert.ok(results.length > 10);
  assert.deepEqual(
    results.filter(({ verdict }) => verdict === 'failed'),
    [],
  );
});
