import { readFileSync } from 'node:fs';
import type { GameListResponse } from '@freebets/contract';
import type { Pool, PoolClient } from 'pg';
import type { Connection } from '../engine/connection.ts';
import { inTransaction } from '../engine/transaction.ts';
import { insertPartner, listPartners, readPartnerTerms, replaceOffers } from '../partners/callers/sql/partners.ts';
import { insertProvider } from '../partners/callers/sql/providers.ts';
import { findSecret } from '../partners/callers/sql/secrets.ts';
import { exportCatalogue, loadCatalogue } from '../partners/catalogue/catalogue.ts';
import { importCatalogue, providerIdFor } from '../partners/catalogue/file.ts';
import { announceChange } from '../partners/reference/sql.ts';
import { type MasterKey, openSecret, ownerOf, sealSecret } from '../primitives/sealing.ts';
import { writeHistory } from './history.ts';
import { addDemoStaff } from './staff.ts';

// Demo data to try the service with. Its secrets are public, so it is loaded only into the embedded database or on
// request.

export const demoPartner = { clientId: 1, name: 'Demo partner', secret: 'demo-partner-secret' };
const demoRival = { clientId: 2, name: 'Demo rival', secret: 'demo-rival-secret' };
export const demoPartners = [demoPartner, demoRival];

/** Terms that last this many minutes from the issue, under any sandbox clock: clocks can't be set past 2100. */
export const fromNowOn = (minutes: number) => ({ valid_until: '2101-01-01T00:00:00Z', duration_min: minutes });

const demoProviderSecret = (index: number): string => `demo-provider-secret-${index + 1}`;

/** Returns the demo provider of a game, with its secret. */
export function demoProviderOf(gameId: string): { providerId: string; secret: string } | undefined {
  const index = catalogue.providers.findIndex(({ games }) => games.some((game) => game.id === gameId));
  const provider = catalogue.providers[index];
  return provider && { providerId: providerIdFor(provider.name), secret: demoProviderSecret(index) };
}

const catalogue: GameListResponse = JSON.parse(readFileSync(new URL('./catalogue.json', import.meta.url), 'utf8'));

/** Loads the demo at the first start of an embedded database. Does nothing if it already has partners. */
export async function loadDemoIfEmpty(pool: Pool, masterKey: MasterKey): Promise<void> {
  if ((await listPartners(pool)).length === 0) await loadDemo(pool, masterKey);
}

export const loadDemo = (pool: Pool, masterKey: MasterKey, { history = true } = {}): Promise<AddedDemo> =>
  inTransaction(pool, async (connection) => {
    await announceChange(connection);
    return addDemo(connection, masterKey, { history });
  });

export interface AddedDemo {
  added: string[];
  /** Demo providers that already exist with another secret. */
  left: string[];
}

/**
 * Returns what it added. The transaction must have announced the change. Existing partners and providers keep their
 * games, and only a new partner gets a history.
 */
export async function addDemo(
  connection: PoolClient,
  masterKey: MasterKey,
  { history = true, staff = true } = {},
): Promise<AddedDemo> {
  const { ours, newcomers, left } = await addProviders(connection, masterKey);
  if (newcomers.length > 0)
    await importCatalogue(connection, withGamesOf(newcomers, await exportCatalogue(connection)));
  const providerIds = ours.map(({ name }) => providerIdFor(name));
  const added: string[] = [];
  for (const { clientId, name, secret } of demoPartners) {
    const sealed = sealSecret(masterKey, ownerOf('partner', clientId), secret);
    if (!(await insertPartner(connection, { clientId, name, secret: sealed, isSandbox: true }))) continue;
    await replaceOffers(connection, clientId, providerIds);
    added.push(`partner ${clientId}`);
  }
  if (staff) added.push(...(await addDemoStaff(connection, demoPartner.clientId)));
  const hasGames = ours.length > 0;
  if (history && hasGames && added.includes(`partner ${demoPartner.clientId}`)) await addHistory(connection);
  return { added, left };
}

async function addHistory(connection: PoolClient): Promise<void> {
  const { clientId } = demoPartner;
  const terms = await readPartnerTerms(connection, [clientId]);
  const { profileOf } = await loadCatalogue(connection, () => '', terms);
  await writeHistory(connection, clientId, profileOf(clientId));
}

/** An import withdraws games that it does not name, so it must include all other games of the catalogue. */
function withGamesOf(newcomers: GameListResponse['providers'], present: GameListResponse): GameListResponse {
  const others = present.providers.filter((provider) => !newcomers.some(({ name }) => name === provider.name));
  return {
    providers: [...others, ...newcomers],
    image_assets: others.length > 0 ? present.image_assets : catalogue.image_assets,
  };
}

/** `ours` are the providers that are new or have the demo's secret. */
async function addProviders(connection: Connection, masterKey: MasterKey) {
  const ours: GameListResponse['providers'] = [];
  const newcomers: GameListResponse['providers'] = [];
  const left: string[] = [];
  for (const [i, provider] of catalogue.providers.entries()) {
    const { name, currencies } = provider;
    const providerId = providerIdFor(name);
    const owner = ownerOf('provider', providerId);
    const secret = sealSecret(masterKey, owner, demoProviderSecret(i));
    const isNew = await insertProvider(connection, { providerId, name, currencies, secret });
    if (isNew) newcomers.push(provider);
    const sealed = isNew ? secret : await findSecret(connection, 'provider', providerId);
    if (sealed && openSecret(masterKey, owner, sealed) === demoProviderSecret(i)) ours.push(provider);
    else left.push(name);
  }
  return { ours, newcomers, left };
}
