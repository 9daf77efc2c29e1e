import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call, post } from '../../../support/caller.ts';
import { demoCatalogue, game } from '../../../support/catalogue.ts';
import { testDatabase } from '../../../support/database.ts';
import { fileOf } from '../../../support/files.ts';
import { runCommand, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const get = (address: string) => post(address, '', {}, 'GET');
const shapes = ['landscape', 'portrait', 'square'] as const;

interface Listed {
  id: string;
  images: Record<string, string>;
}

/** Loads the three pictures of every game that is wanted; how many there were. */
async function loadPictures(isWanted: (game: Listed) => boolean): Promise<number> {
  const { providers, image_assets } = accepted('GameList', await call(url, 'GameList', {}));
  const games = providers.flatMap((provider: { games: Listed[] }) => provider.games).filter(isWanted);
  for (const { images } of games) {
    for (const shape of shapes) {
      const picture = await get(`${image_assets.base_url}/${images[shape]}`);
      assert.equal(picture.status, 200, images[shape]);
      assert.equal(picture.headers['content-type'], 'image/svg+xml');
      const { width, height } = image_assets.presets.game[shape];
      assert.ok(picture.text.startsWith('<svg xmlns="http://www.w3.org/2000/svg"'));
      assert.ok(picture.text.includes(`width="${width}" height="${height}"`), `${images[shape]} has its preset's size`);
    }
  }
  return games.length * shapes.length;
}

test('every picture of every game loads from image_assets.base_url, in the size of its preset', async () => {
  assert.equal(await loadPictures(() => true), 41 * 3);
});

test('a picture may be shown by any page, and does nothing when it is opened by itself', async () => {
  const [id] = demoCatalogue().providers[0]?.games.map((listed) => listed.id) ?? [];
  const { headers } = await get(`${url}/assets/games/${id}/square.svg`);
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.match(String(headers['content-security-policy']), /^default-src 'none';.*; sandbox$/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

test('an unknown game has no picture', async () => {
  const id = demoCatalogue().providers[0]?.games[0]?.id;
  for (const path of [
    'none/square.svg',
    `${id}/round.svg`,
    `${id}/`,
    `${id}/square.svg/x`,
    `${id}/__proto__.svg`,
    id,
  ]) {
    refused('unknown_operation', await get(`${url}/assets/games/${path}`));
  }
});

const longest = 'x'.repeat(128);
const oddIds = ['with space', 'a/b', '100%', 'ümläut', '?&#', '<b>"\'', '字'.repeat(40)];

test('games with ids of every kind have pictures that load, and a withdrawn one has none any more', async () => {
  const catalogue = demoCatalogue();
  const [first] = catalogue.providers;
  assert.ok(first);
  const [withdrawn] = first.games;
  first.games = [longest, ...oddIds].map((id) => game(id, { title: id }));
  catalogue.providers = [first];
  const imported = await runCommand(env, 'catalogue', 'import', fileOf(catalogue));
  assert.equal(imported.stderr, '');
  const gone = `${url}/assets/${withdrawn?.images.square}`;
  await until('the withdrawn game has no picture', 2000, async () => (await get(gone)).status === 404);
  assert.equal(await loadPictures(({ id }) => oddIds.includes(id)), oddIds.length * 3);
});

test('the pictures of a game with the longest id load too', async () => {
  assert.equal(await loadPictures(({ id }) => id === longest), 3);
});
