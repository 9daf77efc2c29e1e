import assert from 'node:assert/strict';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { setClock } from '../support/clock.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';

// The clock is set to the middle of an hour.

const { env, sql } = await testDatabase();
await setClock(sql, '2031-03-31T15:40:00Z');
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);
// A partner without campaigns has a different overview.
accepted(
  'CampaignCreate',
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'today', valid_until: '2099-01-01T00:00:00Z' })),
);

inBrowser('the day is compared by whole hours, and the compared figures are shown', async () => {
  const hours = { '2031-03-24T14:00:00Z': 500, '2031-03-31T14:00:00Z': 550, '2031-03-31T15:00:00Z': 2057 };
  for (const [hour, issued] of Object.entries(hours)) {
    await sql.query(`INSERT INTO activity VALUES (1, $1, '', 'EUR', '', '', $2, 0, 0, 0, 0, 0, 0)`, [hour, issued]);
  }
  const { page, open, assertAccessible } = await deskOf('manager');
  await open('/?partner=1');
  const row = page.getByRole('table', { name: 'Today by currency' }).getByRole('row', { name: /^EUR/ });
  await row.getByText('2,607').waitFor();
  const text = (await row.innerText()).replaceAll('\u00a0', ' ');
  assert.match(text, /EUR\s+until \d\d:\d\d\s+2,607\s+550\s+\+10%/);
  await assertAccessible();
});
