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

// A draft saves itself, and what was typed is never lost: neither when it is left, nor by a save that fails or has no answer, nor
// where it was saved elsewhere meanwhile.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

async function beginDraft(firstName: string, desk = deskOf('manager')) {
  const { page, open, context, who } = await desk;
  assert(who);
  await open('/p/1/drafts/new');
  const name = page.getByLabel('Name');
  await name.fill(firstName);
  await page.getByRole('button', { name: 'Begin the draft' }).evaluate((button: { click(): void }) => {
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
  assert.equal(rows.length, 1, 'asked for twice at once it is one draft');
  const players = page.getByRole('link', { name: 'Players' });
  const leave = async () => {
    await players.click();
    await page.getByRole('heading', { name: 'Players' }).waitFor();
  };
  return { page, context, who, draft_id, name, saved, notSaved, read, savedName, players, leave };
}

inBrowser(
  'what was typed is saved before one leaves; what cannot be saved is kept, and one is asked',
  async () => {
    const { page, context, who, name, saved, notSaved, savedName, players, leave } = await beginDraft('Never lost');
    const address = page.url();

    // It is left while a save is under way, and more was typed meanwhile.
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
    await page.getByRole('dialog', { name: 'Not saved' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await name.inputValue(), 'Never lost, third');
    await players.click();
    await page.getByRole('dialog', { name: 'Not saved' }).getByRole('button', { name: 'Leave' }).click();
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
  'what could not be saved is saved when the server is there again; what was refused is not tried again',
  async () => {
    const desk = deskOf('manager', null, 'who waits');
    const { page, name, saved, notSaved, savedName } = await beginDraft('Waits', desk);
    await page.clock.install();
    let attempts = 0;
    // Once not at all, then no further than to what stands before the server.
    await page.route('**/Draft/Save', (route) => {
      attempts += 1;
      return attempts === 1 ? route.abort() : route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
    });
    await name.fill('Saved later');
    await notSaved.waitFor();
    // An answer that is still on its way sets no timer that time could be moved to yet.
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
    const show = page.getByRole('button', { name: 'Show it as it is' });
    await show.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'it cannot help');
    await page.unroute('**/Draft/Save');
    await show.click();
    await saved.waitFor();
  },
  { refusals: ['409 /Draft/Save', '502 /Draft/Save'] },
);

inBrowser('a save whose answer is lost is made good, also where one types back what was there', async () => {
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
  await page.getByRole('button', { name: 'Show it as it is' }).click();
  await saved.waitFor();
  await page.unroute('**/Draft/Save');
  assert.equal(await name.inputValue(), 'There');
  assert.equal(await page.getByRole('button', { name: 'Use what I typed' }).count(), 0, 'it is there already');
});

inBrowser('what a colleague has not finished is no alarm', async () => {
  const { draft_id } = await beginDraft('Half of it');
  const { page, open } = await deskOf('manager', null, 'a colleague');
  await open(`/p/1/drafts/${draft_id}`);
  await page.getByText('It is still being written').waitFor();
  await page.getByText('Games is missing').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

inBrowser(
  'a draft says no more than is known, and chooses no fewer games than it says',
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
    await page.getByLabel('Amount in EUR').waitFor();
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
      .getByRole('button', { name: /Check and submit$/ })
      .first()
      .click();
    await page.getByText(/gives its player 2 bets of ….EUR, in/).waitFor();

    await open(`/p/1/drafts/${await draftOf(Array.from({ length: 490 }, (_, i) => `game-${i}`))}`);
    const all = page.getByRole('button', { name: /^Choose all \d+$/ });
    await all.click();
    await page.getByText(/A campaign has at most 500 games: with these it would have 5\d\d\./).waitFor();
    assert.equal(await all.isDisabled(), true);
    await page.getByText('490 chosen').waitFor();

    await open(`/p/1/drafts/${await draftOf([])}`);
    await chooseMeanwhile(page);
  },
  { refusals: ['500 /Catalogue/Games'] },
);

/** What is chosen while all of another search are asked for is chosen beside them. */
async function chooseMeanwhile(page: Page): Promise<void> {
  const answered = Promise.withResolvers<void>();
  await page.getByLabel('Find games').fill('kite');
  const all = page.getByRole('button', { name: 'Choose all 1', exact: true });
  await page.getByText('1 game with free bets matches', { exact: true }).waitFor();
  await all.waitFor();
  await page.route('**/Catalogue/Games', async (route) => {
    const { limit, ids } = route.request().postDataJSON();
    if (limit === 500 && !ids) await answered.promise;
    await route.continue();
  });
  await all.click();
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await page.getByText('1 chosen').waitFor();
  answered.resolve();
  await page.getByText('2 chosen').waitFor();
}

inBrowser(
  'what all games of a filter were asked for is not said of the filter that is shown meanwhile',
  async () => {
    const { page, open, who } = await deskOf('manager', null, 'who changes her mind');
    assert(who);
    const content = { name: 'Many', games: Array.from({ length: 490 }, (_, i) => `game-${i}`) };
    const { draft_id } = await drafted(url, 'DraftSave', { kind: 'campaign', content }, who);
    await open(`/p/1/drafts/${draft_id}`);
    const find = page.getByLabel('Find games');
    const [all, one] = [page.getByRole('button', { name: /^Choose all \d\d$/ }), page.getByText('Choose all 1')];
    /** All are asked for, and another filter is shown before they are answered. */
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
    const ofAnother = page.getByText('The games of another filter, of which you asked for all, were not chosen');
    const refusal = page.getByRole('alert');
    await askAndFind((route) => route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Failed' } }));
    await refusal.getByText('Failed').waitFor();
    await ofAnother.waitFor();
    await page.unroute('**/Catalogue/Games');
    await askAndFind((route) => route.continue());
    await refusal.getByText(/with those it would have 5\d\d\.$/).waitFor();
    await ofAnother.waitFor();
    await page.unroute('**/Catalogue/Games');

    // What is found is counted for what is typed, and no sooner.
    const found = Promise.withResolvers<void>();
    await page.route('**/Catalogue/Games', (route) => found.promise.then(() => route.continue()));
    await find.fill('ember');
    await page.getByText('Searching…').waitFor();
    assert.equal(await one.count(), 0);
    found.resolve();
    await one.click();
    await page.getByText('491 chosen').waitFor();
  },
  { refusals: ['500 /Catalogue/Games'] },
);

inBrowser(
  'what was typed over another revision is offered; signing out is leaving, too',
  async () => {
    const { page, who, draft_id, name, saved, notSaved, read, savedName, leave } = await beginDraft('Not lost');
    const use = page.getByRole('button', { name: 'Use what I typed' });
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

    await saveElsewhere('Given up');
    await page.getByRole('button', { name: 'Show it as it is' }).click();
    await page.getByRole('button', { name: 'Keep it as it is' }).click();
    await page.unroute('**/Draft/Save');
    await use.waitFor({ state: 'detached' });
    await leave();
    await page.goBack();
    await saved.waitFor();
    assert.equal(await name.inputValue(), 'Theirs');
    assert.equal(await use.count(), 0, 'it is offered one time');

    const signOut = async () => {
      await page.getByRole('button', { name: /manager/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await page.route('**/Draft/Save', (route) => route.abort());
    await name.fill('At the end');
    await signOut();
    await page.getByRole('dialog', { name: 'Not saved' }).getByRole('button', { name: 'Stay' }).click();
    await page.unroute('**/Draft/Save');
    await signOut();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    who.cookie = await session(sql, who.staffId);
    assert.equal(await savedName(), 'At the end');
  },
  { refusals: ['401 /Session/Get'] },
);
