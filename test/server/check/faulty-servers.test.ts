import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Memory } from '../../../packages/server/src/check/memory.ts';
import { checkServer, serverChecks } from '../../../packages/server/src/check/server/server-check.ts';
import { done } from '../../../packages/server/src/primitives/outcome.ts';
import { stopwatch, until } from '../../support/waiting.ts';
import { answerOf, pageOf } from './memory-operations.ts';
import { type Fault, memoryServer, secrets } from './memory-server.ts';
import { answering, at, freeBetOf, serverFaults } from './server-faults.ts';

// The checks find what they are for: for each rule, a server that breaks only this rule of its module.

const caller = (clientId: number) => ({ clientId, secret: secrets.get(clientId) ?? '' });

async function brokenRules(fault: Fault, only?: string[]): Promise<string[]> {
  const url = await memoryServer(fault);
  const { results } = await checkServer(
    { url, signing: 'plain', us: caller(1), other: caller(2) },
    { guideAt: String, only, onResult() {}, signal: new AbortController().signal },
  );
  return results.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id);
}

test('a server without a fault is certified', async () => {
  assert.deepEqual(await brokenRules({}), []);
});

/** As if there had been five more before. */
function withRemoved(memory: Memory) {
  answerOf(memory, 'EventsList', {});
  return memory.events.map((event) => ({ ...event, sequence: event.sequence + 5 }));
}

test('a server that has removed events passes the rules of the feed', async () => {
  const removed: Fault = { does: at('EventsList', (memory, body) => pageOf(withRemoved(memory), body)) };
  assert.deepEqual(await brokenRules(removed, ['feed']), []);
});

test('there is a faulty server for every rule', () => {
  assert.deepEqual(
    Object.keys(serverFaults),
    serverChecks.map(({ id }) => id),
  );
});

const feedRules = ['feed.order', 'feed.resume', 'feed.one-time', 'feed.cursor', 'feed.oldest'];

const gone = (answer: { body: object }) => {
  answer.body = {};
};
const after = (operation: string): Fault => ({
  answers(answer, called) {
    if (called === operation && answer.status === 200) gone(answer);
  },
});

test('answers of any other form break rules, and end nothing', async () => {
  const events = (fault: Fault) => brokenRules(fault, ['feed']);
  assert.deepEqual(await events(after('EventsList')), feedRules);
  const rounds = await brokenRules(after('SandboxRound'), ['rounds']);
  assert.deepEqual(rounds.slice(0, 3), ['rounds.exact-wins', 'rounds.rounded-down', 'rounds.maximum']);
  assert.ok((await brokenRules(after('SandboxClockGet'), ['clock'])).includes('clock.forward'));
  assert.deepEqual(await brokenRules(after('IssueBatch'), ['limits']), ['limits.batch']);
  await assert.rejects(
    brokenRules(after('GameList')),
    /^Error: The response of \/v3\/Game\/List of .* differs from the reference/,
  );
});

test('a feed that never ends is found out', async () => {
  const event = { event_id: randomUUID(), sequence: 1, type: 'x', occurred_at: '', client_id: 1, data: {} };
  const endless: Fault = {
    answers(answer, operation) {
      if (operation === 'EventsList') answer.body = { events: [event], last_sequence: 1 };
    },
  };
  assert.deepEqual(await brokenRules(endless, ['feed']), feedRules);
});

const others = ([first, second]: Memory[], memory: Memory) => (memory === first ? second : first) as Memory;

test('isolation is looked at in every way', async () => {
  for (const operation of ['CampaignStop', 'Issue', 'FreeBetList', 'CampaignGet']) {
    const leak: Fault = {
      async does(memory, called, body, all) {
        const owner = others(all, memory);
        const isTheirs =
          owner.working.campaigns.has(body.campaign_id) && !memory.working.campaigns.has(body.campaign_id);
        const isListed = called === 'FreeBetList' && memory.clientId === 2;
        return called === operation && (isTheirs || isListed) ? answerOf(owner, called, body) : undefined;
      },
    };
    const [broken, ...more] = await brokenRules(leak, ['isolation']);
    assert.match(broken ?? 'none', /^isolation\.(change|read)$/, operation);
    assert.deepEqual(more, [], operation);
  }
});

test('who stops a check of a server that hangs is not kept waiting', async () => {
  let calls = 0;
  const silent: Fault = {
    async does() {
      return ++calls > 4 ? new Promise(() => {}) : undefined;
    },
  };
  const url = await memoryServer(silent);
  const stopping = new AbortController();
  const checking = checkServer(
    { url, signing: 'plain', us: caller(1), other: undefined },
    { guideAt: String, only: ['idempotency'], onResult() {}, signal: stopping.signal },
  );
  await until('it hangs', 20_000, () => calls > 4);
  stopping.abort();
  const tookMs = stopwatch();
  await assert.rejects(checking, { name: 'AbortError' });
  assert.ok(tookMs() < 15_000, 'what hangs is ended');
});

test('issued free bets are cancelled afterwards, including those of a batch', async () => {
  const memories = new Set<Memory>();
  const url = await memoryServer({
    async does(memory) {
      memories.add(memory);
      return undefined;
    },
  });
  const how = { guideAt: String, only: ['limits'], onResult() {}, signal: new AbortController().signal };
  await checkServer({ url, signing: 'plain', us: caller(1), other: caller(2) }, how);
  const left = [...memories].flatMap(({ working }) => [...working.freeBets.values()].filter((one) => !one.cancelledAt));
  assert.deepEqual(left, []);
});

for (const [id, fault] of Object.entries(serverFaults)) {
  test(`a server that breaks ${id} is caught by that rule alone`, async () => {
    const module = id.split('.')[0] ?? '';
    assert.deepEqual(await brokenRules(fault, [module]), [id]);
  });
}

/** More that a rule must find. */
const furtherFaults: [what: string, rule: string, fault: Fault][] = [
  [
    'a feed that skips the events it has removed',
    'feed.oldest',
    {
      does: at('EventsList', (memory, { after_event_id: _, ...body }) => pageOf(withRemoved(memory), body)),
    },
  ],
  [
    'a feed that ends before a cursor, and has nothing new for it',
    'feed.cursor',
    {
      does: at('EventsList', (_memory, body) =>
        body.after_event_id === undefined || body.after < 2 ** 40
          ? undefined
          : done({ events: [], last_sequence: body.after, oldest_sequence: 1 }),
      ),
    },
  ],
  [
    'an answer with a field too many, which another rule has asked for',
    'errors.answers',
    {
      // Not where the rule itself checks: it cancels only once.
      does: at('Cancel', (memory, body) => (freeBetOf(memory, body)?.cancelledAt ? done({ ok: true }) : undefined)),
    },
  ],
  [
    'answers of the type text/plain',
    'errors.answers',
    {
      answers({ headers }) {
        headers['content-type'] = 'text/plain';
      },
    },
  ],
  [
    'bets that never get fewer',
    'rounds.used-up',
    {
      answers: answering('SandboxRound', ({ body }) => {
        body.remaining = body.quantity;
      }),
    },
  ],
  [
    'an exposure of nothing',
    'limits.counts',
    {
      answers: answering('CampaignGet', ({ body }) => {
        for (const open of body.exposure) open.amount = '0.00';
      }),
    },
  ],
];

for (const [what, id, fault] of furtherFaults) {
  test(`${what}: ${id} finds it`, async () => {
    assert.deepEqual(await brokenRules(fault, ['idempotency.cancel', id]), [id]);
  });
}
