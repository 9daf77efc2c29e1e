import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { ErrorBody, errors, sign } from '@freebets/contract';
import fc from 'fast-check';
import { assertMatches } from '../support/answers.ts';
import { call, demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { inParallel } from '../support/load.ts';
import { directIssue } from '../support/requests.ts';
import { serverProcess } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Bytes on a socket that no HTTP library would send. Each is refused in the words of the contract or has its connection
// closed; none gets a 5xx, and none disturbs anybody else.

const { env } = await testDatabase();
const { url, child } = await serverProcess(env);
const { hostname, port } = new URL(url);

let log = '';
child.stdout?.on('data', (chunk) => {
  log += chunk;
});

/** The log lines of refused requests since the last valid one. */
async function linesLogged(): Promise<{ status: number }[]> {
  const id = String((await call(url, 'Issue', directIssue())).headers['x-request-id']);
  await until('its line', 5000, () => log.includes(id));
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.slice(lines.findLastIndex(({ status, request_id }) => status === 200 && request_id !== id) + 1, -1);
}

const patienceMs = 5000;

interface Conversation {
  heard: string;
  /** Whether the server closed, rather than we after it had been silent for long. */
  closed: boolean;
}

/** Says it, piece by piece, and listens until the server closes or `isEnough`. */
function converse(said: (string | Buffer)[], isEnough: (heard: string) => boolean, end = false): Promise<Conversation> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let heard = '';
    const finish = (closed: boolean) => {
      socket.destroy();
      resolve({ heard, closed });
    };
    socket.setTimeout(patienceMs, () => finish(false));
    socket.on('error', () => finish(true));
    socket.on('end', () => finish(true));
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (isEnough(heard)) finish(true);
    });
    for (const piece of said) socket.write(piece);
    if (end) socket.end();
  });
}

interface Heard {
  status: number;
  head: string;
  body: string;
}

/** The complete responses in the received bytes. */
function answersIn(heard: string): Heard[] {
  const found: Heard[] = [];
  for (let rest = heard; rest.startsWith('HTTP/1.1 '); ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, headEnd);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (headEnd < 0 || rest.length < headEnd + 4 + length) break;
    found.push({ status: Number(rest.slice(9, 12)), head, body: rest.slice(headEnd + 4, headEnd + 4 + length) });
    rest = rest.slice(headEnd + 4 + length);
  }
  return found;
}

const hasAnswers = (count: number) => (heard: string) =>
  answersIn(heard).filter(({ status }) => status !== 100).length >= count;

function assertRefusal({ status, head, body }: Heard): void {
  assert.ok(status >= 400 && status < 500, head);
  assert.match(head, /^content-type: application\/json/im);
  const refusal = JSON.parse(body || 'null');
  assertMatches(ErrorBody, refusal);
  assert.equal(errors[refusal.error as keyof typeof errors]?.status, status);
  assert.equal(/^x-request-id: (\S+)$/im.exec(head)?.[1], refusal.request_id, 'the request id, in the header too');
}

const post = (headers: string[], body: string | Buffer = '') => [
  ['POST /v3/FreeBets/Issue HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n'),
  body,
];

function signedRequest(): Buffer {
  const body = Buffer.from(JSON.stringify({ client_id: demo.clientId, ...directIssue() }));
  const headers = [`X-REQUEST-SIGN: ${sign(body, demo.secret)}`, `Content-Length: ${body.length}`];
  return Buffer.concat(post(headers, body).map((part) => Buffer.from(part)));
}

const refused: Record<string, (string | Buffer)[]> = {
  'no HTTP at all': ['nonsense\r\n\r\n'],
  'a method that does not exist': ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
  'a method in small letters': ['post /v3/FreeBets/Issue HTTP/1.1\r\nHost: x\r\n\r\n'],
  'no host': ['POST /v3/FreeBets/Issue HTTP/1.1\r\nContent-Length: 0\r\n\r\n'],
  'two hosts': ['POST /v3/FreeBets/Issue HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n'],
  'a version that does not exist': ['GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'the greeting of TLS': [Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200, 1)],
  'a space in the path': ['GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  'control characters in the path': ['GET /a\x01b HTTP/1.1\r\nHost: x\r\n\r\n'],
  'a path that cannot be decoded': ['GET /v3/%ff%zz HTTP/1.1\r\nHost: x\r\n\r\n'],
  'a path that looks like a pattern': ['GET /:a(b HTTP/1.1\r\nHost: x\r\n\r\n'],
  'no path': ['GET  HTTP/1.1\r\nHost: x\r\n\r\n'],
  'a header without a name': post([': x']),
  'a header with a space in its name': post(['X Y: z']),
  'a header with a zero byte': post(['X-Y: a\0b']),
  'a header folded over lines': post(['X-Y: a', ' b', 'Content-Length: x']),
  'headers too large': post([`X-Y: ${'x'.repeat(40_000)}`]),
  'a path too long': [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  'an unknown expectation': post(['Expect: the-unexpected', 'Content-Length: 2'], '{}'),
  'a length that is no number': post(['Content-Length: many'], '{}'),
  'a length below zero': post(['Content-Length: -1'], '{}'),
  'two lengths': post(['Content-Length: 2', 'Content-Length: 3'], '{}'),
  'a length and chunks': post(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  'a coding that is not chunks': post(['Transfer-Encoding: gzip'], '{}'),
  'chunks of another coding': post(['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
  'chunks named twice': post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  'chunks in the version before them': [
    'POST /v3/FreeBets/Issue HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  'a chunk without a size': post(['Transfer-Encoding: chunked'], 'x\r\n{}\r\n0\r\n\r\n'),
  'a chunk of a size beyond all numbers': post(['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n'),
  'a chunk with too much to say': post(['Transfer-Encoding: chunked'], `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`),
  'a body larger than any': post(['Content-Length: 99999999999'], Buffer.alloc(70_000, ' ')),
  'chunks beyond the limit': post(
    ['Transfer-Encoding: chunked'],
    Buffer.concat(Array.from({ length: 40 }, () => Buffer.from(`8000\r\n${' '.repeat(0x8000)}\r\n`))),
  ),
};

describe('broken HTTP', () => {
  afterEach(async () => {
    assert.equal(child.exitCode, null);
    assert.equal((await call(url, 'Issue', directIssue())).status, 200);
  });

  for (const [what, said] of Object.entries(refused)) {
    it(`is refused in the words of the contract: ${what}`, async () => {
      const { heard } = await converse(said, hasAnswers(1));
      const [answer] = answersIn(heard).filter(({ status }) => status !== 100);
      assert.ok(answer !== undefined, `no whole answer, only ${JSON.stringify(heard.slice(0, 300))}`);
      assertRefusal(answer);
    });
  }

  it('is refused before its body is trusted: a good request in another frame', async () => {
    const body = JSON.stringify({ client_id: demo.clientId, ...directIssue() });
    const signed = ['Content-Type: application/json', `X-REQUEST-SIGN: ${sign(body, demo.secret)}`];
    const line = (version: string) => `POST /v3/FreeBets/Issue HTTP/${version}`;
    const length = `Content-Length: ${body.length}`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const inFrame = (head: string[], rest: string) => `${[...head, ...signed, '', ''].join('\r\n')}${rest}`;
    const framed = {
      'two hosts': inFrame([line('1.1'), 'Host: x', 'HOST: x', length], body),
      'no host': inFrame([line('1.1'), length], body),
      'a version of later': inFrame([line('2.0'), 'Host: x', length], body),
      'a version of before': inFrame([line('0.9'), 'Host: x', length], body),
      'another coding': inFrame([line('1.1'), 'Host: x', 'Transfer-Encoding: gzip, chunked'], chunked),
      'another coding by itself': inFrame(
        [line('1.1'), 'Host: x', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
        chunked,
      ),
    };
    for (const [what, said] of Object.entries(framed)) {
      const { heard, closed } = await converse([said], () => false);
      const [answer] = answersIn(heard);
      assert.ok(answer !== undefined, what);
      assertRefusal(answer);
      assert.ok(closed, `${what}: the connection stayed open`);
    }
    const { heard } = await converse([inFrame([line('1.0'), length], body)], hasAnswers(1));
    assert.equal(answersIn(heard)[0]?.status, 200, 'a host is not asked for in HTTP/1.0');
  });

  it('is answered and logged once, where the request has its answer before its body turns out broken', async () => {
    const chunked = (line: string, ...headers: string[]) =>
      [line, 'Host: x', 'Transfer-Encoding: chunked', ...headers, '', ''].join('\r\n');
    const issue = 'POST /v3/FreeBets/Issue HTTP/1.1';
    const early: Record<number, string[]> = {
      200: [chunked('GET /livez HTTP/1.1')],
      400: [chunked(issue, 'Host: y')],
      404: [chunked('POST /v3/Nothing HTTP/1.1')],
      413: [chunked(issue, 'Content-Type: application/json'), `100001\r\n${' '.repeat(0x100001)}\r\n`],
      415: [chunked(issue, 'Content-Type: text/plain')],
    };
    const conversations = Object.entries(early).flatMap(([status, said]) => [
      { status, pieces: [...said, 'nonsense\r\n'] },
      { status, pieces: [`${said.join('')}nonsense\r\n`] },
    ]);
    await inParallel(conversations, conversations.length, async ({ status, pieces }) => {
      const { heard, closed } = await converse(pieces, () => false);
      assert.match(heard, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(heard.split('HTTP/1.1').length - 1, 1, heard);
      assert.ok(closed, `${status}: the connection stayed open`);
    });
    const logged = (await linesLogged()).map((line) => line.status).toSorted();
    assert.deepEqual(logged, [400, 400, 404, 404, 413, 413, 415, 415], 'and probes are not logged');
  });

  it('is not a tunnel', async () => {
    const { heard, closed } = await converse(['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'], hasAnswers(1));
    assert.ok(closed);
    for (const answer of answersIn(heard)) assertRefusal(answer);
  });

  it('does not turn one good request before it into a bad one', async () => {
    const { heard } = await converse([signedRequest(), 'nonsense\r\n\r\n'], hasAnswers(2));
    // It may go without an answer, and be sent again; but it was carried out, and must not be called invalid.
    const [first, second] = answersIn(heard);
    assert.ok(first === undefined || first.status === 200, heard);
    assert.ok(second === undefined || second.status === 400);
  });

  it('never gets a 5xx, for any bytes', async () => {
    const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const good = signedRequest();
    const spoilt = fc
      .array(fc.record({ at: fc.nat(good.length - 1), bytes: fc.uint8Array({ maxLength: 6 }), cut: fc.nat(20) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map((spots) =>
        spots.reduce(
          (said, { at, bytes, cut }) => Buffer.concat([said.subarray(0, at), bytes, said.subarray(at + cut)]),
          good,
        ),
      );
    const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    const said = fc.sample(fc.oneof(spoilt, spoilt, spoilt, noise), { seed, numRuns: 1000 });
    await inParallel(said, 64, async (bytes) => {
      // Ended by us, since some of it is merely incomplete, and waits for more.
      const { heard } = await converse([bytes], () => false, true);
      for (const { status, head } of answersIn(heard)) {
        assert.ok(status < 500, `FUZZ_SEED=${seed}: ${JSON.stringify(bytes.toString('latin1'))} got ${head}`);
      }
    });
  });
});

describe('unusual, but good HTTP', () => {
  it('is served when it comes byte by byte', async () => {
    const { heard } = await converse(
      [...signedRequest()].map((byte) => Buffer.from([byte])),
      hasAnswers(1),
    );
    assert.equal(answersIn(heard)[0]?.status, 200);
  });

  it('is served when requests come without waiting for answers, each answered in its turn', async () => {
    const said = [signedRequest(), Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'), signedRequest()];
    const { heard } = await converse([Buffer.concat(said)], hasAnswers(3));
    const answers = answersIn(heard);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.deepEqual(JSON.parse(answers[1]?.body ?? ''), { status: 'ok' });
  });

  it('is served in chunks, and after "100-continue"', async () => {
    const whole = signedRequest().toString();
    const body = whole.slice(whole.indexOf('\r\n\r\n') + 4);
    const signed = `X-REQUEST-SIGN: ${sign(body, demo.secret)}`;
    const pieces = [body.slice(0, 10), body.slice(10)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const said = post([signed, 'Transfer-Encoding: chunked', 'Expect: 100-continue'], `${pieces.join('')}0\r\n\r\n`);
    const { heard } = await converse(said, hasAnswers(1));
    assert.deepEqual(
      answersIn(heard).map(({ status }) => status),
      [100, 200],
    );
  });

  it('leaves the service alone when callers hang up in the middle', async () => {
    const whole = signedRequest();
    const lengths = Array.from({ length: 300 }, (_, i) => Math.ceil((whole.length * (i + 1)) / 300));
    await inParallel(lengths, 32, async (length) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      await new Promise((resolve) => socket.write(whole.subarray(0, length), resolve));
      socket.resetAndDestroy();
    });
    assert.equal((await call(url, 'Issue', directIssue())).status, 200);
    assert.equal(child.exitCode, null);
  });
});
