import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { operations } from '@freebets/contract';
import { assertMatches } from '../../support/answers.ts';
import { demoCatalogue, type GameListResponse, game } from '../../support/catalogue.ts';
import { testDatabase } from '../../support/database.ts';
import { fileOf, folder } from '../../support/files.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env, sql } = await testDatabase();

const importFile = (content: string | Buffer | object) => fails(env, 'catalogue', 'import', fileOf(content));

async function everything() {
  const tables = ['providers', 'games', 'reference', 'offers'];
  const rows = tables.map((table) => sql.query(`SELECT t::text FROM ${table} t ORDER BY 1`));
  return (await Promise.all(rows)).map((result) => result.rows);
}

const withdrawnGames = async () =>
  (await sql.query('SELECT game_id FROM games WHERE withdrawn_at IS NOT NULL ORDER BY 1')).rows.map(
    (row) => row.game_id,
  );

test('export prints the catalogue in the shape of the game list, for people and for programs', async () => {
  const printed = await succeeds(env, 'catalogue', 'export');
  assert.deepEqual(JSON.parse(printed), demoCatalogue());
  assert.ok(printed.split('\n').length > 100, 'for people it is indented');
  const exported = await succeedsWith(env, 'catalogue', 'export');
  assert.deepEqual(exported, demoCatalogue());
  assertMatches(operations.GameList.response, exported);
});

test('importing an export changes nothing', async () => {
  const exported = await succeeds(env, 'catalogue', 'export');
  const printed = await succeeds(env, 'catalogue', 'import', fileOf(exported));
  assert.match(printed, /^Games in the catalogue: 41; withdrawn: 0\./);
  assert.equal(await succeeds(env, 'catalogue', 'export'), exported);
});

test('a missing game is withdrawn, not deleted, and returns with its new settings', async () => {
  const fewer = demoCatalogue();
  const gone = fewer.providers[1]?.games.splice(3, 2).map(({ id }) => id) ?? [];
  const result = await succeedsWith(env, 'catalogue', 'import', fileOf(fewer));
  assert.deepEqual(result, { games: 39, withdrawn: 2, newProviders: [] });
  assert.deepEqual(await withdrawnGames(), gone.toSorted());
  assert.deepEqual(await succeedsWith(env, 'catalogue', 'export'), fewer);
  const changed = demoCatalogue();
  const back = changed.providers[1]?.games[3];
  assert.ok(back);
  back.title = 'Under a new name';
  await succeeds(env, 'catalogue', 'import', fileOf(changed));
  assert.deepEqual(await withdrawnGames(), []);
  assert.deepEqual(await succeedsWith(env, 'catalogue', 'export'), changed);
});

test('import creates new providers without a secret, and keeps missing ones without games', async () => {
  const catalogue = demoCatalogue();
  const fresh = ['Nova Reel', 'Nova  Reel!'].map((name, i) => ({
    name,
    currencies: ['EUR'],
    games: [game(`nova-${i}`)],
  }));
  catalogue.providers = [...fresh, ...catalogue.providers.slice(0, 2)];
  const printed = await succeeds(env, 'catalogue', 'import', fileOf(catalogue));
  assert.match(printed, /New provider nova-reel: .*rotate-secret nova-reel\n/);
  assert.match(printed, /New provider nova-reel-2: /);
  const { rows } = await sql.query(`SELECT provider_id FROM providers WHERE secret IS NULL ORDER BY 1`);
  assert.deepEqual(
    rows.map((row) => row.provider_id),
    ['nova-reel', 'nova-reel-2'],
  );
  const exported: GameListResponse = await succeedsWith(env, 'catalogue', 'export');
  const withGames = exported.providers.filter((provider) => provider.games.length > 0);
  assert.deepEqual(withGames, catalogue.providers);
  assert.deepEqual(exported.providers.find(({ name }) => name === 'Velvet Anvil')?.games, []);
});

test('import refuses an unreadable file and a file that is not JSON', async () => {
  const before = await everything();
  assert.match(await fails(env, 'catalogue', 'import', `${folder}/none.json`), /none\.json cannot be read \(ENOENT\)/);
  assert.match(await fails(env, 'catalogue', 'import', folder), /cannot be read \(EISDIR\)/);
  assert.match(await importFile('{"providers":['), /is not JSON/);
  if (existsSync('/dev/zero')) {
    assert.equal(await fails(env, 'catalogue', 'import', '/dev/zero'), '/dev/zero is larger than 64 MiB.');
  }
  assert.deepEqual(await everything(), before);
});

test('import refuses a file that is not UTF-8', async () => {
  const before = await everything();
  const latin1 = { ...demoCatalogue(), providers: [{ name: 'Café Bets', currencies: ['EUR'], games: [] }] };
  assert.match(await importFile(Buffer.from(JSON.stringify(latin1), 'latin1')), /UTF-8/);
  assert.deepEqual(await everything(), before);
});

/** Returns the demo catalogue with changes. */
function changed(change: (catalogue: GameListResponse) => unknown): object {
  const catalogue = demoCatalogue();
  change(catalogue);
  return catalogue;
}

test('import refuses an invalid catalogue, lists every error, and changes nothing', async () => {
  const before = await everything();
  const message = await importFile(
    changed(({ providers, image_assets }) => {
      Object.assign(providers[0]?.games[0] ?? {}, { titel: 'x', images: undefined, category: 7 });
      providers[2]?.currencies.push('eur', 'EUR');
      Object.assign(image_assets.presets.game.square, { width: 500 });
    }),
  );
  assert.match(message, /providers\[0\]\.games\[0\]\.titel is not a field/);
  assert.match(message, /providers\[0\]\.games\[0\]\.images is missing/);
  assert.match(message, /providers\[0\]\.games\[0\]\.category must be text/);
  assert.match(message, /providers\[2\]\.currencies\[5\]/);
  assert.match(message, /providers\[2\]\.currencies must not repeat/);
  assert.match(message, /image_assets\.presets\.game\.square\.width/);
  assert.match(await importFile([]), /must be an object/);
  assert.deepEqual(await everything(), before);
});

test('import refuses duplicate IDs and names and games of another provider, and changes nothing', async () => {
  const before = await everything();
  const twice = changed(({ providers }) => {
    providers[1]?.games.push(game('lantern-ember-kite'));
    providers.push({ name: 'Lantern Quay', currencies: ['EUR'], games: [] });
  });
  const message = await importFile(twice);
  assert.match(message, /lantern-ember-kite is the id of more than one game/);
  assert.match(message, /Lantern Quay is the name of more than one provider/);
  const moved = changed(({ providers }) => providers[1]?.games.push(...(providers[0]?.games.splice(0, 1) ?? [])));
  assert.match(await importFile(moved), /lantern-skyline-ascent belongs to another provider/);
  assert.deepEqual(await everything(), before);
});

test('import accepts 10,000 games and refuses 10,001', async () => {
  const catalogue = demoCatalogue();
  const [first, second] = catalogue.providers;
  assert.ok(first && second);
  catalogue.providers = [first, second];
  first.games = Array.from({ length: 5000 }, (_, i) => game(`a${i}`));
  second.games = Array.from({ length: 5001 }, (_, i) => game(`b${i}`));
  assert.match(await importFile(catalogue), /more than 10000 games/);
  second.games.pop();
  assert.equal((await succeedsWith(env, 'catalogue', 'import', fileOf(catalogue))).games, 10_000);
  assert.deepEqual(
    (await succeedsWith(env, 'catalogue', 'export')).providers.filter((p: { games: object[] }) => p.games.length > 0),
    catalogue.providers,
  );
});
