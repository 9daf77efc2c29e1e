import { accepted } from '../support/answers.ts';
import { call, demo } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { inEuro, submitted } from '../support/drafts.ts';
import { returnStake } from '../support/payout.ts';
import { testServer } from '../support/server.ts';
import { signedIn } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

inBrowser(
  'a campaign and its costs show the payout type it was created with; a draft, that of its submission',
  async () => {
    const create = (campaign_id: string) =>
      call(url, 'CampaignCreate', inEuro(1000, { campaign_id, name: campaign_id }));
    accepted('CampaignCreate', await create('before'));
    await returnStake(sql, [url], demo.clientId, true);
    accepted('CampaignCreate', await create('after'));
    const { draft_id } = await submitted(url, inEuro(5000), await signedIn(sql, 'manager'));

    const { page, open } = await deskOf('manager');
    for (const [name, payout, more] of [
      ['before', 'Stake not returned (SNR)', '10.00'],
      ['after', 'Stake returned', '20.00'],
    ]) {
      await open(`/p/1/campaigns/${name}`);
      await page.getByRole('row', { name: `Payout ${payout}` }).waitFor();
      await page.getByRole('button', { name: 'Change caps', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Campaign cap').fill('1010');
      await dialog.getByText(new RegExp(`^${more}.EUR$`)).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }
    await open(`/p/1/drafts/${draft_id}`);
    await page.getByRole('row', { name: 'Payout Stake returned' }).waitFor();
  },
);
