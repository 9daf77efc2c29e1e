import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { consoleOf, inBrowser } from '../support/console.ts';
import { loseAnswer } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { drafted } from '../support/drafts.ts';
import { games } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, session } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

// A draft is saved automatically and input is never lost: not by leaving, not by a failed or unconfirmed save, and not
// by a save in another window.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

async function beginDraft(firstName: string, desk = deskOf('manager')) {
  const { page, open, context, who } = await desk;
  assert(who);
  await open('/p/1/drafts/new');
  const name = page.getByLabel('Name');
  await name.fill(firstName);
  await page.getByRole('button', { name: 'Create draft' }).evaluate((button: { click(): void }) => {
    button.click();
    button.click();
  });
  const [saved, notSaved] = ['draft, saved', 'not saved'].map((text) => page.getByText(text));
  assert(saved && notSaved);
  await saved.waitFor();
  const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const read = () => acceptedStaffCall(url, '/Draft/Get', { client_id: 1, draft_id }, who);
  const savedName = async () => (await read()).content.name as string;
  const { rows } = await sql.query('SELECT FROM drafts WHERE title = $1', [firstName]);
  assert.equal(rows.length, 1, 'a double click creates one draft');
  const players = page.getByRole('link', { name: 'Players' });
  const leave = async () => {
    await players.click();
    await page.getByRole('heading', { name: 'Players' }).waitFor();
  };
  return { page, context, who, draft_id, name, saved, notSaved, read, savedName, players, leave };
}

inBrowser(
  'leaving saves first; unsaved changes are kept and leaving asks',
  async () => {
    const { page, context, who, name, saved, notSaved, savedName, players, leave } = await beginDraft('Never lost');
    const address = page.url();

    // Leaves during a save, after typing more.
    const underWay = Promise.withResolvers<void>();
    await page.route('**/Draft/Save', async (route) => {
      underWay.resolve();
      await delay(300);
      await route.continue();
    });
    await name.fill('Never lost, first');
    await underWay.promise;
    await name.fill('Never lost, second');
    await leave();
    assert.equal(await savedName(), 'Never lost, second');

    await page.unroute('**/Draft/Save');
    await page.route('**/Draft/Save', (route) => route.abort());
    await page.goBack();
    await name.fill('Never lost, third');
    await notSaved.waitFor();
    await players.click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await name.inputValue(), 'Never lost, third');
    await players.click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Players' }).waitFor();
    await page.unroute('**/Draft/Save');
    await page.goBack();
    await saved.waitFor();
    assert.equal(await savedName(), 'Never lost, third');

    await sql.query('DELETE FROM sessions WHERE staff_id = $1', [who.staffId]);
    await name.fill('Never lost, fourth');
    await page.getByText('Your session has ended').waitFor();
    who.cookie = await session(sql, who.staffId);
    const [cookie = '', value = ''] = who.cookie.split('=');
    await context.addCookies([{ name: cookie, value, url, httpOnly: true, sameSite: 'Lax' }]);
    await page.goto(address);
    await saved.waitFor();
    assert.equal(await name.inputValue(), 'Never lost, fourth');
    await until('it is saved', 5000, async () => (await savedName()) === 'Never lost, fourth');
  },
  { refusals: ['401 *'] },
);

inBrowser(
  'a failed save is retried until the server is back; a refused save is not retried',
  async () => {
    const desk = deskOf('manager', null, 'who waits');
    const { page, name, saved, notSaved, savedName } = await beginDraft('Waits', desk);
    await page.clock.install();
    let attempts = 0;
    // First no connection, then an error from a proxy.
    await page.route('**/Draft/Save', (route) => {
      attempts += 1;
      return attempts === 1 ? route.abort() : route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
    });
    await name.fill('Saved later');
    await notSaved.waitFor();
    // A pending response has not set its timer yet, so time is moved repeatedly.
    const afterPauses = (what: string, isSo: () => Promise<boolean>) =>
      until(what, 10_000, async () => {
        await page.clock.fastForward(5000);
        return isSo();
      });
    for (const expected of [2, 3]) await afterPauses('it is tried again', async () => attempts >= expected);
    await notSaved.waitFor();
    await page.unroute('**/Draft/Save');
    await afterPauses('it is saved', () => saved.isVisible());
    assert.equal(await savedName(), 'Saved later');

    const refuseWith = (error: string) =>
      page.route('**/Draft/Save', (route) => {
        attempts += 1;
        return route.fulfill({ status: 409, json: { error, message: 'Refused' } });
      });
    attempts = 0;
    await refuseWith('draft_not_open');
    await name.fill('Refused');
    await page.getByRole('alert').getByText('Refused').waitFor();
    await page.clock.fastForward(60_000);
    assert.equal(await savedName(), 'Saved later');
    assert.equal(attempts, 1);
    await page.unroute('**/Draft/Save');
    await page.getByRole('button', { name: 'Try again' }).click();
    await saved.waitFor();

    await refuseWith('draft_changed');
    await name.fill('Of an older one');
    const show = page.getByRole('button', { name: 'Show latest version' });
    await show.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'a retry cannot help');
    await page.unroute('**/Draft/Save');
    await show.click();
    await saved.waitFor();
  },
  { refusals: ['409 /Draft/Save', '502 /Draft/Save'] },
);

inBrowser('a save with a lost response is repeated, even after typing back the old text', async () => {
  const { page, name, saved, notSaved, savedName } = await beginDraft('Answered');
  const typeUnanswered = async (text: string) => {
    await page.route('**/Draft/Save', loseAnswer);
    await name.fill(text);
    await notSaved.waitFor();
  };
  await typeUnanswered('Unanswered');
  await page.unroute('**/Draft/Save');
  await name.fill('Answered again');
  await saved.waitFor();
  assert.equal(await savedName(), 'Answered again');
  await typeUnanswered('For a moment');
  await page.unroute('**/Draft/Save');
  await name.fill('Answered again');
  await saved.waitFor();
  assert.equal(await savedName(), 'Answered again');

  await typeUnanswered('There');
  await page.getByRole('button', { name: 'Show latest version' }).click();
  await saved.waitFor();
  await page.unroute('**/Draft/Save');
  assert.equal(await name.inputValue(), 'There');
  assert.equal(await page.getByRole('button', { name: 'Use my changes' }).count(), 0, 'it was already saved');
});

inBrowser('a colleague’s unfinished draft is not shown as an error', async () => {
  const { draft_id } = await beginDraft('Half of it');
  const { page, open } = await deskOf('manager', null, 'a colleague');
  await open(`/p/1/drafts/${draft_id}`);
  await page.getByText('This draft is not finished').waitFor();
  await page.getByText('Games not set yet').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

inBrowser(
  'a draft shows only known currencies, and "Select all" selects all games or none',
  async () => {
    const { page, open, who } = await deskOf('manager', null, 'who knows little');
    assert(who);
    const draftOf = async (chosen: string[]) => {
      const content = { name: 'Little', games: chosen, quantity: 2, bet_amounts: [{ currency: 'EUR', amount: '' }] };
      return (await drafted(url, 'DraftSave', { kind: 'campaign', content }, who)).draft_id as string;
    };
    const draft_id = await draftOf([games.one]);
    const answered = Promise.withResolvers<void>();
    await page.route('**/Catalogue/Games', (route) => answered.promise.then(() => route.continue()));
    await open(`/p/1/drafts/${draft_id}?step=amounts`);
    await page.getByLabel('Stake in EUR').waitFor();
    assert.equal(await page.getByText('have no currency in common').count(), 0);
    answered.resolve();
    await page.getByRole('combobox', { name: 'Add a currency' }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Catalogue/Games', (route) => route.fulfill(failed));
    await page.reload();
    await page.getByRole('alert').getByText('Something failed').waitFor();
    await page.unroute('**/Catalogue/Games');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('combobox', { name: 'Add a currency' }).waitFor();
    await page
      .getByRole('button', { name: /Review and submit$/ })
      .first()
      .click();
    await page.getByText(/gives its player 2 bets of ….EUR in/).waitFor();

    await open(`/p/1/drafts/${await draftOf(Array.from({ length: 490 }, (_, i) => `game-${i}`))}`);
    const all = page.getByRole('button', { name: /^Select all \d+$/ });
    await all.click();
    await page.getByText(/A campaign has at most 500 games\. With these it would have 5\d\d\./).waitFor();
    assert.equal(await all.isDisabled(), true);
    await page.getByText('490 selected').waitFor();

    await open(`/p/1/drafts/${await draftOf([])}`);
    await selectMeanwhile(page);
  },
  { refusals: ['500 /Catalogue/Games'] },
);

/** Games that the user selects while "Select all" is pending stay selected. */
async function selectMeanwhile(page: Page): Promise<void> {
  const answered = Promise.withResolvers<void>();
  await page.getByLabel('Find games').fill('kite');
  const all = page.getByRole('button', { name: 'Select all 1', exact: true });
  await page.getByText('1 matching game with free bets', { exact: true }).waitFor();
  await all.waitFor();
  await page.route('**/Catalogue/Games', async (route) => {
    const { limit, ids } = route.request().postDataJSON();
    if (limit === 500 && !ids) await answered.promise;
    await route.continue();
  });
  await all.click();
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await page.getByText('1 selected').waitFor();
  answered.resolve();
  await page.getByText('2 selected').waitFor();
}

inBrowser(
  'the result of "Select all" is not shown as if it belonged to a newer filter',
  async () => {
    const { page, open, who } = await deskOf('manager', null, 'who changes her mind');
    assert(who);
    const content = { name: 'Many', games: Array.from({ length: 490 }, (_, i) => `game-${i}`) };
    const { draft_id } = await drafted(url, 'DraftSave', { kind: 'campaign', content }, who);
    await open(`/p/1/drafts/${draft_id}`);
    const find = page.getByLabel('Find games');
    const [all, one] = [page.getByRole('button', { name: /^Select all \d\d$/ }), page.getByText('Select all 1')];
    /** Clicks "Select all" and changes the filter before the response. */
    const askAndFind = async (answer: (route: Route) => Promise<void>) => {
      await find.fill('');
      await all.waitFor();
      const answered = Promise.withResolvers<void>();
      await page.route('**/Catalogue/Games', async (route) => {
        const { limit, ids } = route.request().postDataJSON();
        if (limit !== 500 || ids) return route.continue();
        await answered.promise;
        await answer(route);
      });
      await all.click();
      await find.fill('kite');
      await one.waitFor();
      answered.resolve();
    };
    const ofAnother = page.getByText('The games of your previous search were not selected');
    const refusal = page.getByRole('alert');
    await askAndFind((route) => route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Failed' } }));
    await refusal.getByText('Failed').waitFor();
    await ofAnother.waitFor();
    await page.unroute('**/Catalogue/Games');
    await askAndFind((route) => route.continue());
    await refusal.getByText(/With those it would have 5\d\d\.$/).waitFor();
    await ofAnother.waitFor();
    await page.unroute('**/Catalogue/Games');

    // The count appears only when it belongs to the typed text.
    const found = Promise.withResolvers<void>();
    await page.route('**/Catalogue/Games', (route) => found.promise.then(() => route.continue()));
    await find.fill('ember');
    await page.getByText('Searching…').waitFor();
    assert.equal(await one.count(), 0);
    found.resolve();
    await one.click();
    await page.getByText('491 selected').waitFor();
  },
  { refusals: ['500 /Catalogue/Games'] },
);

inBrowser(
  'unsaved changes to an older revision are offered; signing out asks like any other leaving',
  async () => {
    const { page, who, draft_id, name, saved, notSaved, read, savedName, leave } = await beginDraft('Not lost');
    const use = page.getByRole('button', { name: 'Use my changes' });
    const saveElsewhere = async (mine: string) => {
      await page.route('**/Draft/Save', (route) => route.abort());
      await name.fill(mine);
      await notSaved.waitFor();
      const { content, revision } = await read();
      const theirs = { client_id: 1, draft_id, revision, kind: 'campaign', content: { ...content, name: 'Theirs' } };
      await acceptedStaffCall(url, '/Draft/Save', theirs, who);
    };
    await saveElsewhere('Mine');
    await page.reload();
    await use.waitFor();
    await page.unroute('**/Draft/Save');
    assert.equal(await name.inputValue(), 'Theirs');
    await use.click();
    await until('it is saved', 5000, async () => (await savedName()) === 'Mine');
    await saved.waitFor();
    assert.equal(await use.count(), 0);

    await saveElsewhere('Discarded');
    await page.getByRole('button', { name: 'Show latest version' }).click();
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await page.unroute('**/Draft/Save');
    await use.waitFor({ state: 'detached' });
    await leave();
    await page.goBack();
    await saved.waitFor();
    assert.equal(await name.inputValue(), 'Theirs');
    assert.equal(await use.count(), 0, 'it is offered once');

    const signOut = async () => {
      await page.getByRole('button', { name: /manager/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await page.route('**/Draft/Save', (route) => route.abort());
    await name.fill('At the end');
    await signOut();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    await page.unroute('**/Draft/Save');
    await signOut();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    who.cookie = await session(sql, who.staffId);
    assert.equal(await savedName(), 'At the end');
  },
  { refusals: ['401 /Session/Get'] },
);
