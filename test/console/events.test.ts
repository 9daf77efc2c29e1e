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

// A partner's engineer investigates why events do not arrive.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', WEBHOOK_ALLOW_PRIVATE: 'yes' });
const { deskOf } = await consoleOf(url, sql);
const receiver = await startReceiver(() => 500);

inBrowser(
  'an admin sets up a webhook, sees the responses of the endpoint and resends events',
  async () => {
    const { page, open, assertAccessible } = await deskOf('admin');
    await issue(url, demo, 3);
    await open('/p/1/events');
    await page.getByText('No webhook: events are not sent anywhere.').waitFor();
    await page
      .getByRole('link', { name: /^Player .* received a free bet/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Set up webhook…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Start with event').fill('1');
    await dialog.getByLabel('Reason').fill('The partner asked for it');
    await dialog.getByRole('button', { name: 'Set up webhook' }).click();
    await until('every event was tried', 10_000, () => Promise.resolve(receiver.requests.length >= 3));
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page
      .getByRole('cell', { name: /answered 500/ })
      .first()
      .waitFor();
    await assertAccessible();

    await assertFocusComesBack(page, 'Resend…');
    receiver.behave = () => 204;
    const before = receiver.requests.length;
    await page.getByRole('button', { name: 'Resend all matching…' }).click();
    await dialog.getByText('3 events will be sent again').waitFor();
    await dialog.getByLabel('Reason').fill('Their database was restored');
    await dialog.getByRole('button', { name: 'Resend 3 events' }).click();
    await until('they came again', 10_000, () => Promise.resolve(receiver.requests.length >= before + 3));

    await page.getByRole('cell', { name: 'received' }).first().waitFor();
    await page.getByRole('link', { name: 'freebet.issued' }).first().click();
    await page.getByLabel('Body of the event').getByText('"freebet.issued"').waitFor();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Webhook/Deliveries', (route) => route.fulfill(failed));
    await page.getByRole('link', { name: 'Previous event' }).click();
    await page.getByRole('alert').getByText('Something failed').waitFor();
    assert.equal(await page.getByText('This event was not sent').count(), 0, 'it is unknown');
    await page.unroute('**/Webhook/Deliveries');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await assertAccessible();
  },
  { refusals: ['500 /Webhook/Deliveries'] },
);

inBrowser(
  'the feed keeps its filters in the address and updates itself',
  async () => {
    const { page, open, assertAccessible } = await deskOf('viewer');
    await open('/p/1/events?type=freebet.cancelled');
    await page.getByText('No matching events').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page
      .getByText(/^Player .* received a free bet: 3 bets of /)
      .first()
      .waitFor();
    await open('/p/1/events?type=freebet.issued');
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('link');
    await rows.first().waitFor();
    const before = await rows.count();
    await issue(url, demo, 1);
    await until('it is on the page', 5000, async () => (await rows.count()) === before + 1);
    // The next event appears as soon as it happens.
    await rows.first().click();
    await page.getByLabel('Body of the event').waitFor();
    const after = page.getByRole('link', { name: 'Next event' });
    await after.press('Enter');
    await page.getByText('Event not found').waitFor();
    await after.and(page.locator(':focus')).waitFor();
    await issue(url, demo, 1);
    await page.getByLabel('Body of the event').waitFor();
    await page.clock.install();
    await open('/p/1/events/1000000');
    await page.getByText('Event not found').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(5000);
    assert.equal(asked.filter((each) => each.endsWith('/Events/List')).length, 0, 'a far event is not polled');
    await open('/p/1/events?type=freebet.issued');
    assert.equal(await page.getByRole('button', { name: 'Change webhook…' }).count(), 0, 'a viewer changes nothing');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Resend all matching…' }).count(), 0);
    await assertAccessible();
  },
  { refusals: ['400 /Events/List'] },
);

inBrowser('a signature is checked in the page, and the secret is never sent', async () => {
  const { page, open, assertAccessible } = await deskOf('viewer');
  const { headers, body } = receiver.requests.at(-1) ?? assert.fail();
  await open('/p/1/events/signature');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
  await page.getByLabel('Body').fill(body);
  await page.getByLabel('Secret', { exact: true }).fill(demo.secret);
  await page.getByLabel('X-REQUEST-SIGN', { exact: true }).last().fill(String(headers['x-request-sign']));
  await page.getByText('The signature is correct').waitFor();
  await page.getByLabel('Body').fill(`${body}\n`);
  await page.getByText('It matches the body without its final line break.').waitFor();
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
  await page.getByText('The signature is correct').waitFor();
  assert.deepEqual(
    sent.filter((text) => text.includes(demo.secret)),
    [],
  );
});
