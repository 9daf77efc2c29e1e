import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type Message, openConversation } from '../../../packages/server/src/ops/processes/messages.ts';

// Two processes that ask each other questions, both here.

type Answerers = Parameters<typeof openConversation>[1];

/** Returns the asking side of two connected conversations. */
function conversationWith(answerers: Answerers) {
  const sent: Message[] = [];
  const deliver = (to: () => ReturnType<typeof openConversation>) => (message: Message) => {
    sent.push(message);
    setImmediate(() => to().receive(message));
  };
  const asking = openConversation(
    deliver(() => answering),
    {},
  );
  const answering = openConversation(
    deliver(() => asking),
    answerers,
  );
  return { asking, sent };
}

test('a question fails with the reason when the other process throws, and later questions get replies', async () => {
  const { asking } = conversationWith({
    metricsText: async () => {
      throw new TypeError('a metric has no values');
    },
    pulse: async () => true,
  });
  await assert.rejects(asking.ask('metricsText', undefined), /a metric has no values/);
  assert.equal(await asking.ask('pulse', undefined), true);
});

test('a question fails when a reply cannot be sent', async () => {
  const asking = openConversation(() => {
    throw new Error('channel closed');
  }, {});
  await assert.rejects(asking.ask('pulse', undefined), /channel closed/);
});

test('a question fails in time when the other process never replies, and a late reply is ignored', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const late = Promise.withResolvers<true>();
    const { asking, sent } = conversationWith({ pulse: () => late.promise });
    const asked = asking.ask('pulse', undefined);
    const failed = assert.rejects(asked, { code: 'ETIMEDOUT', message: /did not reply to pulse in time/ });
    mock.timers.tick(4000);
    await failed;
    late.resolve(true);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      ['question', 'answer'],
    );
  } finally {
    mock.timers.reset();
  }
});

test('open questions fail when the other process ends', async () => {
  const { asking } = conversationWith({ pulse: () => new Promise(() => {}) });
  const failed = assert.rejects(asking.ask('pulse', undefined), { code: 'EPIPE', message: /has ended/ });
  asking.end();
  await failed;
});
