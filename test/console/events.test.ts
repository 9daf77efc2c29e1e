import assert from 'node:assert/strict';
import { sign, timedPrefix } from '@freebets/contract';
import { demo } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { assertFocusComesBack } from '../support/keyboard.ts';
import { startReceiver } from '../support/receiver.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { issue } from '../support/webhooks.ts';

// The engineer's case: events do not arrive.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', WEBHOOK_ALLOW_PRIVATE: 'yes' });
const { deskOf } = await consoleOf(url, sql);
const receiver = await startReceiver(() => 500);

inBrowser(
  'an admin sets a webhook, sees how the endpoint answers, and sends again',
  async () => {
    const { page, open, assertAccessible } = await deskOf('admin');
    await issue(url, demo, 3);
    await open('/p/1/events');
    await page.getByText('No webhook: events are sent nowhere.').waitFor();
    await page
      .getByRole('link', { name: /^Player .* was given/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Set a webhook…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByLabel('Begin with event').fill('1');
    await dialog.getByLabel('Reason').fill('The partner asked for it');
    await dialog.getByRole('button', { name: 'Set the webhook' }).click();
    await until('every event was tried', 10_000, () => Promise.resolve(receiver.requests.length >= 3));
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page
      .getByRole('cell', { name: /answered 500/ })
      .first()
      .waitFor();
    await assertAccessible();

    await assertFocusComesBack(page, 'Send again…');
    receiver.behave = () => 204;
    const before = receiver.requests.length;
    await page.getByRole('button', { name: 'Send all that match again…' }).click();
    await dialog.getByText('3 events will be sent again').waitFor();
    await dialog.getByLabel('Reason').fill('Their database was restored');
    await dialog.getByRole('button', { name: 'Send 3 events again' }).click();
    await until('they came again', 10_000, () => Promise.resolve(receiver.requests.length >= before + 3));

    await page.getByRole('cell', { name: 'received' }).first().waitFor();
    await page.getByRole('link', { name: 'freebet.issued' }).first().click();
    await page.getByLabel('Body of the event').getByText('"freebet.issued"').waitFor();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Webhook/Deliveries', (route) => route.fulfill(failed));
    await page.getByRole('link', { name: 'Before' }).click();
    await page.getByRole('alert').getByText('Something failed').waitFor();
    assert.equal(await page.getByText('This event was not sent').count(), 0, 'nobody knows');
    await page.unroute('**/Webhook/Deliveries');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await assertAccessible();
  },
  { refusals: ['500 /Webhook/Deliveries'] },
);

inBrowser(
  'the feed is filtered by the address, and follows what happens',
  async () => {
    const { page, open, assertAccessible } = await deskOf('viewer');
    await open('/p/1/events?type=freebet.cancelled');
    await page.getByText('No event that is kept matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page
      .getByText(/^Player .* was given 3 bets of /)
      .first()
      .waitFor();
    await open('/p/1/events?type=freebet.issued');
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('link');
    await rows.first().waitFor();
    const before = await rows.count();
    await issue(url, demo, 1);
    await until('it is on the page', 5000, async () => (await rows.count()) === before + 1);
    // One that has not happened yet is there when it has.
    await rows.first().click();
    await page.getByLabel('Body of the event').waitFor();
    const after = page.getByRole('link', { name: 'After' });
    await after.press('Enter');
    await page.getByText('There is no such event').waitFor();
    await after.and(page.locator(':focus')).waitFor();
    await issue(url, demo, 1);
    await page.getByLabel('Body of the event').waitFor();
    await page.clock.install();
    await open('/p/1/events/1000000');
    await page.getByText('There is no such event').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(5000);
    assert.equal(asked.filter((each) => each.endsWith('/Events/List')).length, 0, 'it is far ahead');
    await open('/p/1/events?type=freebet.issued');
    assert.equal(await page.getByRole('button', { name: 'Set the address…' }).count(), 0, 'a viewer changes nothing');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send all that match again…' }).count(), 0);
    await assertAccessible();
  },
  { refusals: ['400 /Events/List'] },
);

inBrowser('a signature is checked in the page, and the secret never leaves it', async () => {
  const { page, open, assertAccessible } = await deskOf('viewer');
  const { headers, body } = receiver.requests.at(-1) ?? assert.fail();
  await open('/p/1/events/signature');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
  await page.getByLabel('Body').fill(body);
  await page.getByLabel('Secret', { exact: true }).fill(demo.secret);
  await page.getByLabel('X-REQUEST-SIGN', { exact: true }).last().fill(String(headers['x-request-sign']));
  await page.getByText('The signature is right').waitFor();
  await page.getByLabel('Body').fill(`${body}\n`);
  await page.getByText('It fits the body without the line end behind it.').waitFor();
  await page.getByLabel('Body').fill('{}');
  await page.getByText('The signature is wrong').waitFor();
  await page.getByText(sign('{}', demo.secret)).waitFor();
  await page.getByLabel('X-REQUEST-TIME').fill('1800000000');
  await page.getByLabel('Path').fill('/v3/Game/List');
  await page.getByText(sign('{}', demo.secret, timedPrefix('1800000000', '/v3/Game/List'))).waitFor();
  await assertAccessible();

  await page.getByText('webhook-signature', { exact: true }).first().click();
  await page.getByLabel('Body').fill(body);
  await page.getByLabel('webhook-id').fill(String(headers['webhook-id']));
  await page.getByLabel('webhook-timestamp').fill(String(headers['webhook-timestamp']));
  await page.getByLabel('webhook-signature', { exact: true }).last().fill(String(headers['webhook-signature']));
  await page.getByText('The signature is right').waitFor();
  assert.deepEqual(
    sent.filter((text) => text.includes(demo.secret)),
    [],
  );
});
