import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { demoCatalogue, type GameListResponse, game } from '../../../support/catalogue.ts';
import { testDatabase } from '../../../support/database.ts';
import { fileOf } from '../../../support/files.ts';
import { recordedBy, recordsOf, refuseRecords } from '../../../support/records.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';
import { until } from '../../../support/waiting.ts';
import { succeeds, succeedsWith } from '../../admin/terminal.ts';

// The catalogue from both doors.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const { url: other } = await testServer(env);
const admin = await signedIn(sql, 'admin');
const viewer = await signedIn(sql, 'viewer', [1]);
const reason = 'The games of this week';

const games = (body: object = {}) => acceptedStaffCall(url, '/Catalogue/Games', body, viewer);
const diff = (catalogue: object) => acceptedStaffCall(url, '/Catalogue/Diff', { catalogue }, admin);
const importing = (body: object, member = admin) => staffCall(url, '/Catalogue/Import', { ...body, reason }, member);
const idsIn = (found: { games: { id: string }[] }) => found.games.map(({ id }) => id);

function changed(change: (catalogue: GameListResponse) => unknown): GameListResponse {
  const catalogue = demoCatalogue();
  change(catalogue);
  return catalogue;
}

test('games are found by text, provider, currency, free bets and offer, with their pictures', async () => {
  const all = await games();
  const catalogue = demoCatalogue();
  const expected = catalogue.providers.flatMap((provider) => provider.games.map(({ id }) => id));
  assert.deepEqual([idsIn(all), all.total, all.next_cursor], [expected, 41, null]);
  const [first] = catalogue.providers;
  assert.ok(first?.games[0]);
  assert.deepEqual(all.games[0], { ...first.games[0], provider_id: 'lantern-quay' });
  const listed = accepted('GameList', await call(url, 'GameList', {}));
  assert.deepEqual(all.image_assets, listed.image_assets, 'the addresses of pictures are those of the game list');

  assert.deepEqual(
    idsIn(await games({ provider_id: 'lantern-quay' })),
    first.games.map(({ id }) => id),
  );
  const [one, two] = expected.slice(3);
  assert.deepEqual(idsIn(await games({ ids: [two, 'no-such-game', one] })), [one, two]);
  const title = first.games[0].title.toUpperCase();
  assert.ok(idsIn(await games({ search: title })).includes(first.games[0].id));
  assert.deepEqual(idsIn(await games({ search: first.games[0].id })), [first.games[0].id]);
  const supporting = catalogue.providers.flatMap((provider) =>
    provider.games.filter(({ promoTypes }) => promoTypes.includes('FreeBet')),
  );
  assert.equal((await games({ free_bets: true })).total, supporting.length);
  assert.equal((await games({ free_bets: false })).total, 41 - supporting.length);
  for (const currency of ['EUR', 'USDT', 'XXX']) {
    const taking = catalogue.providers.filter(({ currencies }) => currencies.includes(currency));
    assert.equal((await games({ currency })).total, taking.flatMap((provider) => provider.games).length);
  }
  await acceptedStaffCall(url, '/Partner/Offer', { client_id: 1, offers: ['velvet-anvil'], reason }, admin);
  const offered = await games({ client_id: 1 });
  assert.deepEqual(
    [...new Set(offered.games.map((each: { provider_id: string }) => each.provider_id))],
    ['velvet-anvil'],
  );
  const elsewhere = await staffCall(url, '/Catalogue/Games', { client_id: 2 }, viewer);
  assert.equal(elsewhere.body.error, 'partner_not_found');
  const pages: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await games({ limit: 17, ...(cursor && { cursor }) });
    pages.push(...idsIn(page));
    cursor = page.next_cursor;
  }
  assert.deepEqual(pages, expected);
});

test('the catalogue is exported as a file, which is recorded, by both doors', async () => {
  const records = await recordedBy(sql, async () => {
    const { headers, body } = await staffCall(url, '/Catalogue/Export', {}, viewer);
    assert.equal(headers.get('content-disposition'), 'attachment; filename="catalogue.json"');
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(body, demoCatalogue());
    assert.deepEqual(await succeedsWith(env, 'catalogue', 'export'), demoCatalogue());
  });
  assert.deepEqual(
    records.map(({ client_id, actor, action, after }) => [client_id, actor.kind, action, after.games]),
    [
      [0, 'staff', 'CatalogueExport', 41],
      [0, 'cli', 'CatalogueExport', 41],
    ],
  );
});

const next = changed(({ providers, image_assets }) => {
  const [first, second] = providers;
  assert.ok(first?.games[0] && first.games[1] && second);
  first.games[0].title = 'Under a new name';
  first.games[0].promoTypes = [];
  second.games.splice(0, 2);
  second.currencies = ['EUR'];
  providers.push({ name: 'Nova Reel', currencies: ['EUR'], games: [game('nova-1')] });
  image_assets.base_url = 'https://pictures.example';
});

test('a diff says what an import would change, and changes nothing', async () => {
  const before = await sql.query('SELECT version FROM reference');
  let same: { version?: string } = {};
  const records = await recordedBy(sql, async () => {
    const found = await diff(next);
    const demo = demoCatalogue();
    assert.match(found.version, /^[0-9a-f]{64}$/);
    assert.deepEqual(found.added, {
      total: 1,
      first: [{ id: 'nova-1', title: 'Title of nova-1', provider: 'Nova Reel' }],
    });
    const { id, title } = next.providers[0]?.games[0] ?? assert.fail();
    assert.deepEqual(found.changed, {
      total: 1,
      first: [{ id, title, provider: 'Lantern Quay', fields: ['title', 'promoTypes'] }],
    });
    assert.deepEqual(
      found.withdrawn.first.map((each: { id: string }) => each.id),
      demo.providers[1]?.games.slice(0, 2).map((each) => each.id),
    );
    assert.deepEqual(found.providers_added, { total: 1, first: [{ name: 'Nova Reel' }] });
    assert.deepEqual(found.providers_changed.first, [{ name: next.providers[1]?.name, fields: ['currencies'] }]);
    assert.deepEqual([found.is_reordered, found.image_assets_changed], [false, true]);
    same = await diff(demo);
    assert.equal(same.version, found.version);
    const moved = await diff(changed(({ providers }) => providers.reverse()));
    assert.deepEqual([moved.is_reordered, moved.changed.total, moved.added.total], [true, 0, 0]);
  });
  assert.deepEqual(records, []);
  assert.deepEqual(await sql.query('SELECT version FROM reference').then(({ rows }) => rows), before.rows);
});

test('what an import would refuse, a diff refuses too', async () => {
  const wrong: [object, RegExp][] = [
    [changed(({ providers }) => Object.assign(providers[0]?.games[0] ?? {}, { titel: 'x' })), /titel is not a field/],
    [changed(({ providers }) => providers[1]?.games.push(game('lantern-ember-kite'))), /ember-kite is the id of more/],
    [
      changed(({ providers }) => providers[1]?.games.push(...(providers[0]?.games.splice(0, 1) ?? []))),
      /lantern-skyline-ascent belongs to another provider/,
    ],
    [
      changed(({ providers }) => {
        providers.push({ name: 'Nova', currencies: ['EUR'], games: providers[0]?.games.splice(0, 1) ?? [] });
      }),
      /lantern-skyline-ascent belongs to another provider/,
    ],
  ];
  const records = await recordedBy(sql, async () => {
    for (const [catalogue, form] of wrong) {
      for (const path of ['/Catalogue/Diff', '/Catalogue/Import']) {
        const { body } = await staffCall(url, path, { catalogue, reason }, admin);
        assert.equal(body.error, 'invalid_request');
        assert.match(
          body.details.map(({ field, reason }: Record<string, string>) => `${field} ${reason}`).join(),
          form,
        );
      }
    }
  });
  assert.deepEqual(records, []);
});

test('an import is made against the catalogue that was compared, or not at all, and every server follows', async () => {
  const { version } = await diff(next);
  await acceptedStaffCall(url, '/Provider/Create', { name: 'Meanwhile', currencies: ['EUR'], reason }, admin);
  const late = await importing({ catalogue: next, version });
  assert.deepEqual([late.status, late.body.error, late.body.code], [409, 'catalogue_changed', 686]);
  const allow = await refuseRecords(sql);
  assert.equal((await importing({ catalogue: next })).body.error, 'internal_error');
  await allow();
  assert.equal((await games({ search: 'nova-1' })).total, 0, 'what cannot be recorded is not made');
  const scoped = await signedIn(sql, 'admin', [1]);
  assert.equal((await importing({ catalogue: next }, scoped)).body.error, 'not_allowed');

  const again = await diff(next);
  let made: { version?: string } = {};
  const records = await recordedBy(sql, async () => {
    made = (await importing({ catalogue: next, version: again.version })).body;
    const { version: _, ...rest } = made;
    assert.deepEqual(rest, { games: 40, withdrawn: 2, new_providers: ['nova-reel'] });
    assert.equal((await games({ search: 'nova-1' })).total, 1, 'at once on the server that answered');
    await importing({ catalogue: next, version: made.version as string });
  });
  await until('the other server follows', 2000, async () => {
    return (await acceptedStaffCall(other, '/Catalogue/Games', { search: 'nova-1' }, viewer)).total === 1;
  });
  assert.equal(records.length, 1, 'the second one changed nothing');
  const [record] = records;
  assert.deepEqual(
    [record?.client_id, record?.action, record?.before],
    [0, 'CatalogueImport', { version: again.version, games: 41 }],
  );
  assert.deepEqual(
    [record?.after.version, record?.after.games, record?.after.added.total, record?.after.withdrawn.total],
    [made.version, 40, 1, 2],
  );
  const [byCommand] = await recordedBy(sql, () =>
    succeeds(env, 'catalogue', 'import', fileOf(demoCatalogue()), '--reason', 'back again'),
  );
  assert.deepEqual([byCommand?.actor.kind, byCommand?.reason, byCommand?.after.added.total], ['cli', 'back again', 2]);
  assert.equal(byCommand?.before.version, made.version);
});

test('of two imports at the same moment against one version, one is made', async () => {
  const { version } = await diff(next);
  const one = changed(({ providers }) => providers[0]?.games.pop());
  const two = changed(({ providers }) => providers[0]?.games.shift());
  const answers = await Promise.all([one, two].map((catalogue) => importing({ catalogue, version })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
});

test('ten thousand games are compared, imported and found over HTTP, and a body over 16 MiB is none', async (t) => {
  const large = changed(({ providers }) => {
    const [first] = providers;
    assert.ok(first);
    first.games = Array.from({ length: 9_970 }, (_, i) => game(`many-${i}`, { title: `One of many ${i}` }));
  });
  const count = large.providers.flatMap((provider) => provider.games).length;
  assert.ok(count > 9_990 && count <= 10_000, String(count));
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const answer = await work();
    t.diagnostic(`${what}: ${Math.round(performance.now() - began)} ms`);
    return answer;
  };
  const compared = await timed('diff', () => diff(large));
  assert.deepEqual([compared.added.total, compared.added.first.length], [9_970, 200]);
  const { body } = await timed('import', () => importing({ catalogue: large, version: compared.version }));
  assert.equal(body.games, count);
  const found = await timed('search', () => games({ search: 'MANY 77', limit: 1000 }));
  assert.equal(found.total, 111);
  const record = (await recordsOf(sql)).findLast(({ action }) => action === 'CatalogueImport');
  assert.ok(JSON.stringify(record).length < 50_000, 'the record has the beginning of each list');
  const { headers, body: exported } = await timed('export', () => staffCall(url, '/Catalogue/Export', {}, viewer));
  assert.ok(headers.get('content-type'));
  assert.deepEqual(exported.providers[0], large.providers[0]);
  const over = await staffCall(url, '/Catalogue/Diff', `{"a":"${'x'.repeat(16 * 1024 * 1024)}"}`, admin);
  assert.equal(over.body.error, 'body_too_large');
});
