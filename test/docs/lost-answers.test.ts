import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Partner } from '@freebets/client';
import { drop, faultyServer, ok, refusal } from '../client/faulty-server.ts';
import { losingLine } from '../client/walk/line.ts';
import { demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { examplesOf } from './document.ts';
import { documents, root } from './markdown.ts';

// Readers copy the programs of the guides: they must survive responses that are lost, cut off, or sent by a proxy.

const { env } = await testDatabase();
const { url } = await testServer(env);
const partner = new Partner({ baseUrl: url, ...demo });
const folder = mkdtempSync(join(tmpdir(), 'freebets-guides-'));
after(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

const programs = documents('docs/')
  .flatMap(examplesOf)
  .map(({ block }) => block);

/** The program of the docs that contains this text. There must be exactly one. */
function codeWith(marker: string): string {
  const found = programs.filter(({ language, code }) => ['ts', 'js'].includes(language) && code.includes(marker));
  assert.equal(found.length, 1, `programs with ${marker}`);
  return found[0]?.code ?? '';
}

async function printedBy(marker: string, address: string): Promise<string> {
  const code = codeWith(marker);
  const path = join(folder, `${marker.replaceAll(/\W/g, '')}.ts`);
  // Without jitter a pause has no length.
  writeFileSync(path, code.replaceAll('http://127.0.0.1:8080', address).replaceAll('Math.random()', '0'));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + complaint;
}

const round = (address: string) => printedBy('cashes out at 7.50', address);

test('a round is played to its end', async () => {
  const games = ['lantern-skyline-ascent'];
  const given = { player_id: 'player-79', quantity: 1, games, config: { max_coefficient: '5.00' } };
  const { issue_id } = await partner.freeBets.issue(directIssue(given));
  const { url: losing, count } = await losingLine(url);
  assert.equal(await round(losing), 'cashed out at 5.00, won 4.00 EUR\n');
  assert.deepEqual(count, { different: 3, received: 6 });
  const { bets } = await partner.freeBets.get({ issue_id });
  assert.deepEqual(
    bets.map(({ status }) => status),
    ['won'],
  );
});

test('a bet that is refused after an attempt without an answer is rolled back', async () => {
  const available = ok({ free_bets: [{ issue_id: 'one' }] });
  const { url: faulty, received } = await faultyServer(available, drop, refusal({ error: 'forbidden' }), ok({}));
  assert.match(await round(faulty), /the round begins without this bet/);
  assert.deepEqual(
    received.map(({ path }) => path?.replace('/v3/Rounds/', '')),
    ['Available', 'Bet', 'Bet', 'Rollback'],
  );
});

test('every page is read', async () => {
  for (let i = 0; i < 4; i++) await partner.freeBets.issue(directIssue({ player_id: 'player-81' }));
  const { url: losing } = await losingLine(url);
  assert.match(await printedBy('isWorthRepeating', losing), /^([0-9a-f-]{36} active\n){4}$/);
});

/** Sends half a request to a receiver, and exits with 77 if the receiver survives that. */
const cutOff = `
if (!server.listening) server.listen(0, '127.0.0.1');
if (!server.address()) await new Promise((resolve) => server.once('listening', resolve));
server.prependListener('request', (request) =>
  request.once('close', () => setImmediate(() => setImmediate(() => process.exit(77)))),
);
const { connect } = await import('node:net');
const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
server.once('request', () => socket.destroy());
socket.write('POST /events HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 100\\r\\n\\r\\n{"event_id"');
`;

const receivers: [marker: string, trying: RegExp][] = [
  ['const event = body && verifyEvent(', /^server\.listen\(.*/m],
  ['verifyWebhook(await buffer(request)', /^server\.listen\([\s\S]*/m],
];

writeFileSync(join(folder, 'verify-event.mjs'), codeWith('export function verifyEvent('));

for (const [marker, trying] of receivers) {
  test(`the receiver of events with ${marker} survives a request that is cut off`, async () => {
    const path = join(folder, `${marker.replaceAll(/\W/g, '')}.ts`);
    writeFileSync(path, codeWith(marker).replace(trying, cutOff));
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.equal(code, 77, complaint);
  });
}
