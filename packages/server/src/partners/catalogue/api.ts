import type { StaffRequestOf } from '@freebets/contract';
import { type Handlers, Rendered } from '../../calls/call.ts';
import {
  type ChangeServices,
  changeAndFollow,
  changeContextOf,
  type FollowServices,
  requireAllPartners,
} from '../../calls/changes.ts';
import { cursorsOf, isCount } from '../../calls/cursor.ts';
import { acceptsGzip, namesTag } from '../../calls/negotiation.ts';
import { type FileServices, fileInTurn } from '../../calls/report-turns.ts';
import { done } from '../../primitives/outcome.ts';
import type { Catalogue } from './catalogue.ts';
import { compareCatalogue, exportedCatalogue, importCatalogue } from './import.ts';
import type { StoredGame } from './sql.ts';

// All staff see the games. The catalogue belongs to no partner, so changing it needs all partners.

type Name = 'GameList' | 'CatalogueGames' | 'CatalogueExport' | 'CatalogueDiff' | 'CatalogueImport';

interface CatalogueServices extends ChangeServices, FollowServices, FileServices {
  /** The catalogue in this server's memory. */
  catalogue(): Catalogue;
}

type Wanted = StaffRequestOf<'CatalogueGames'>;

/** Whether a game is wanted. 10,000 games take 9 ms the first time and 2 ms later. */
function matcher(catalogue: Catalogue, { search, ids, provider_id, currency, free_bets, client_id }: Wanted) {
  const named = ids && new Set<string>(ids);
  const text = search?.toLowerCase();
  const offered = client_id === undefined ? undefined : new Set(catalogue.offersOf(client_id));
  return ({ id, title, providerId, promoTypes }: StoredGame): boolean =>
    (named?.has(id) ?? true) &&
    (provider_id === undefined || providerId === provider_id) &&
    (offered?.has(providerId) ?? true) &&
    (free_bets === undefined || promoTypes.includes('FreeBet') === free_bets) &&
    (currency === undefined || catalogue.providerOf(providerId)?.currencies.includes(currency) === true) &&
    (text === undefined || title.toLowerCase().includes(text) || id.toLowerCase().includes(text));
}

const bodyOf = ({ providerId, ...game }: StoredGame) => ({ ...game, provider_id: providerId });

const nothing = Buffer.alloc(0);

const cursors = cursorsOf({ begin: isCount });

export const catalogueHandlers: Handlers<Name, CatalogueServices> = {
  async GameList({ services: { catalogue }, headers: given }, { client_id }) {
    const { etag, plain, gzip } = await catalogue().gameList(client_id);
    const headers = { etag, vary: 'accept-encoding' };
    if (namesTag(given['if-none-match'], etag)) return new Rendered(304, headers, nothing);
    if (!acceptsGzip(given['accept-encoding'])) return new Rendered(200, headers, plain);
    return new Rendered(200, { ...headers, 'content-encoding': 'gzip' }, gzip);
  },

  async CatalogueGames({ services }, { limit = 100, cursor, ...wanted }) {
    const begin = cursors.read(cursor)?.begin ?? 0;
    const catalogue = services.catalogue();
    const matching = catalogue.games.filter(matcher(catalogue, wanted));
    const end = begin + limit;
    return done({
      games: matching.slice(begin, end).map(bodyOf),
      total: matching.length,
      image_assets: catalogue.imageAssets(),
      next_cursor: cursors.write(end < matching.length ? { begin: end } : null),
    });
  },

  async CatalogueExport(call) {
    return fileInTurn(call, 'catalogue.json', async () => {
      const { providers, image_assets } = await exportedCatalogue(changeContextOf(call));
      return linesOf(providers, image_assets);
    });
  },

  async CatalogueDiff({ services }, { catalogue }) {
    return done(await compareCatalogue(services.consolePool, catalogue));
  },

  async CatalogueImport(call, { catalogue, version }) {
    requireAllPartners(call);
    const { newProviders, ...rest } = await changeAndFollow(
      call,
      importCatalogue(changeContextOf(call), catalogue, version),
    );
    return done({ ...rest, new_providers: newProviders });
  },
};

/** Yields one provider at a time. */
async function* linesOf(providers: readonly object[], imageAssets: object): AsyncGenerator<string> {
  yield '{"providers":[\n';
  for (const [i, provider] of providers.entries()) yield `${i > 0 ? ',\n' : ''}${JSON.stringify(provider)}`;
  yield `\n],"image_assets":${JSON.stringify(imageAssets)}}\n`;
}
