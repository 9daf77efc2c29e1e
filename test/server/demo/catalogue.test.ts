import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalogue from '../../../packages/server/src/demo/catalogue.json' with { type: 'json' };
import { drawPicture } from '../../../packages/server/src/partners/catalogue/pictures.ts';

const games = catalogue.providers.flatMap((provider) => provider.games);
const { game: sizes } = catalogue.image_assets.presets;
const SHAPES = ['landscape', 'portrait', 'square'] as const;

test('three providers offer about forty games in several categories', () => {
  assert.equal(new Set(catalogue.providers.map((provider) => provider.name)).size, 3);
  assert.deepEqual(
    catalogue.providers.map((provider) => provider.games.length),
    [16, 14, 11],
  );
  const categories = new Set(games.map((game) => game.category));
  assert.ok(categories.has('BetOnGames'));
  assert.ok(categories.size >= 4);
});

test('ids are unique slugs, and titles are unique', () => {
  for (const { id } of games) assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
  for (const { id } of games) assert.ok(id.length <= 128);
  assert.equal(new Set(games.map((game) => game.id)).size, games.length);
  assert.equal(new Set(games.map((game) => game.title)).size, games.length);
});

test('every provider takes EUR and USD, and no two the same currencies', () => {
  for (const { currencies } of catalogue.providers) {
    assert.ok(currencies.includes('EUR') && currencies.includes('USD'));
    assert.equal(new Set(currencies).size, currencies.length);
    for (const currency of currencies) assert.match(currency, /^[A-Z]{3,4}$/);
  }
  const sets = catalogue.providers.map((provider) => [...provider.currencies].sort().join());
  assert.equal(new Set(sets).size, sets.length);
});

test('every provider has games with and without FreeBet', () => {
  for (const provider of catalogue.providers) {
    const promoTypes: string[][] = provider.games.map((game) => game.promoTypes);
    const without = promoTypes.filter((types) => !types.includes('FreeBet'));
    assert.ok(without.length >= 1 && without.length < provider.games.length / 2);
    for (const type of promoTypes.flat()) assert.ok(['FreeBet', 'Tournament'].includes(type));
  }
  assert.ok(games.some((game) => game.promoTypes.length === 0));
});

test('every game has its three pictures, at the preset sizes', () => {
  assert.equal(catalogue.image_assets.base_url, '/assets');
  for (const game of games) {
    for (const shape of SHAPES) {
      assert.equal(game.images[shape], `games/${game.id}/${shape}.svg`);
      assert.match(`${sizes[shape].width} ${sizes[shape].height}`, /^[1-9]\d* [1-9]\d*$/);
      const size = { width: Number(sizes[shape].width), height: Number(sizes[shape].height) };
      assert.ok(drawPicture(game, shape, size).includes(`viewBox="0 0 ${size.width} ${size.height}"`));
    }
  }
});
