import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { FreebetsError, Partner } from '@freebets/client';
import { refusingUrl } from '../support/receiver.ts';
import { directIssue } from '../support/requests.ts';
import { addressesOfNoService, drop, faultyServer } from './faulty-server.ts';

// Calls that were not sent, because no connection was made.

const secret = 'a-secret';

/** Pauses take a tenth of their time. */
const { random } = Math;
mock.method(Math, 'random', () => random() / 10);

/** The error of a call that must fail. */
const failureOf = (call: Promise<unknown>): Promise<FreebetsError> =>
  call.then(
    (answer) => assert.fail(`it has succeeded: ${JSON.stringify(answer)}`),
    (error) => {
      assert.ok(error instanceof FreebetsError, error);
      return error;
    },
  );

test('a call that was not sent is retried, and mayHaveHappened is false', async () => {
  const { dropped, ...unsent } = await addressesOfNoService();
  for (const [name, baseUrl] of Object.entries(unsent)) {
    let tried = 0;
    const counting: typeof fetch = (...given) => {
      tried++;
      return fetch(...given);
    };
    const { campaigns, freeBets } = new Partner({ baseUrl, clientId: 1, secret, maxRetries: 2, fetch: counting });
    const paused = await failureOf(campaigns.pause({ campaign_id: 'one' }));
    assert.deepEqual([paused.name, paused.mayHaveHappened, tried], ['no_answer', false, 3], name);
    const issued = await failureOf(freeBets.issue(directIssue()));
    assert.equal(issued.mayHaveHappened, false);
    assert.doesNotMatch(issued.message, /carried out/);
  }
  const sent = await failureOf(
    new Partner({ baseUrl: dropped, clientId: 1, secret }).campaigns.pause({ campaign_id: 'one' }),
  );
  assert.equal(sent.mayHaveHappened, true);
});

test('mayHaveHappened stays true after one attempt that was sent, even if later attempts were not sent', async () => {
  const { refused } = await addressesOfNoService();
  const server = await faultyServer(drop);
  let tried = 0;
  const then: typeof fetch = (input, init) =>
    fetch(tried++ === 0 ? input : `${refused}${new URL(String(input)).pathname}`, init);
  const error = await failureOf(
    new Partner({ baseUrl: server.url, clientId: 1, secret, maxRetries: 2, fetch: then }).freeBets.issue(directIssue()),
  );
  assert.deepEqual([error.name, error.mayHaveHappened, tried], ['no_answer', true, 3]);
});

test('a failure of another runtime without a cause counts as sent', async () => {
  const causes = [undefined, null, 'ECONNREFUSED', { code: 'ConnectionRefused' }, { code: 61 }, new Error('refused')];
  for (const cause of causes) {
    const failing = async () => Promise.reject(new TypeError('fetch failed', { cause }));
    const client = new Partner({ baseUrl: refusingUrl, clientId: 1, secret, maxRetries: 0, fetch: failing });
    assert.equal((await failureOf(client.games.list())).mayHaveHappened, true);
  }
});
