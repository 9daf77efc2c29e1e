import { readFileSync } from 'node:fs';
import type { GameListResponse } from '@freebets/contract';
import type { Pool, PoolClient } from 'pg';
import { type MasterKey, ownerOf, sealSecret } from '../callers/secrets.ts';
import { exportCatalogue, loadCatalogue } from '../catalogue/catalogue.ts';
import { importCatalogue, providerIdFor } from '../catalogue/catalogue-file.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertPartner, listPartners, readPartnerTerms, replaceOffers } from '../sql/partners.ts';
import { insertProvider, listProviders } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { writeHistory } from './history.ts';
import { addDemoStaff } from './staff.ts';

// Something to try the service out with. The secrets are public, so it is loaded into the embedded database only, or
// where somebody asks for it.

export const demoPartner = { clientId: 1, name: 'Demo partner', secret: 'demo-partner-secret' };
const demoRival = { clientId: 2, name: 'Demo rival', secret: 'demo-rival-secret' };
export const demoPartners = [demoPartner, demoRival];

/** So many minutes from the issue on, whatever the partner's clock says: it can be set forward, and not past 2100. */
export const fromNowOn = (minutes: number) => ({ valid_until: '2101-01-01T00:00:00Z', duration_min: minutes });

const demoProviderSecret = (index: number): string => `demo-provider-secret-${index + 1}`;

/** Which of the demo's providers has this game, and its secret. */
export function demoProviderOf(gameId: string): { providerId: string; secret: string } | undefined {
  const index = catalogue.providers.findIndex(({ games }) => games.some((game) => game.id === gameId));
  const provider = catalogue.providers[index];
  return provider && { providerId: providerIdFor(provider.name), secret: demoProviderSecret(index) };
}

const catalogue: GameListResponse = JSON.parse(readFileSync(new URL('./catalogue.json', import.meta.url), 'utf8'));

/** At the first start of an embedded database; one that has partners already is left as it is. */
export async function loadDemoIfEmpty(pool: Pool, masterKey: MasterKey): Promise<void> {
  if ((await listPartners(pool)).length === 0) await loadDemo(pool, masterKey);
}

export const loadDemo = (pool: Pool, masterKey: MasterKey, { history = true } = {}): Promise<string[]> =>
  inTransaction(pool, async (connection) => {
    await announceChange(connection);
    return addDemo(connection, masterKey, { history });
  });

/**
 * Within a transaction that has announced the change. What it added: partners and providers that are there already are left as
 * they are, and a history has only who is new.
 */
export async function addDemo(
  connection: PoolClient,
  masterKey: MasterKey,
  { history = true, staff = true } = {},
): Promise<string[]> {
  const providerIds = await addProviders(connection, masterKey);
  await importCatalogue(connection, withDemoGames(await exportCatalogue(connection)));
  const added: string[] = [];
  for (const { clientId, name, secret } of demoPartners) {
    const sealed = sealSecret(masterKey, ownerOf('partner', clientId), secret);
    if (!(await insertPartner(connection, { clientId, name, secret: sealed, isSandbox: true }))) continue;
    await replaceOffers(connection, clientId, providerIds);
    added.push(`partner ${clientId}`);
  }
  if (staff) added.push(...(await addDemoStaff(connection, demoPartner.clientId)));
  if (history && added.includes(`partner ${demoPartner.clientId}`)) await addHistory(connection);
  return added;
}

async function addHistory(connection: PoolClient): Promise<void> {
  const { clientId } = demoPartner;
  const terms = await readPartnerTerms(connection, [clientId]);
  const { profileOf } = await loadCatalogue(connection, () => '', terms);
  await writeHistory(connection, clientId, profileOf(clientId));
}

/** An import withdraws what it does not name, so whatever else the catalogue holds goes into it again. */
function withDemoGames(present: GameListResponse): GameListResponse {
  const isDemo = (name: string) => catalogue.providers.some((provider) => provider.name === name);
  const others = present.providers.filter((provider) => !isDemo(provider.name));
  return {
    providers: [...others, ...catalogue.providers],
    image_assets: others.length > 0 ? present.image_assets : catalogue.image_assets,
  };
}

async function addProviders(connection: Connection, masterKey: MasterKey): Promise<string[]> {
  for (const [i, { name, currencies }] of catalogue.providers.entries()) {
    const providerId = providerIdFor(name);
    const secret = sealSecret(masterKey, ownerOf('provider', providerId), demoProviderSecret(i));
    await insertProvider(connection, { providerId, name, currencies, secret });
  }
  const names = new Set(catalogue.providers.map((provider) => provider.name));
  const providers = await listProviders(connection);
  return providers.filter((provider) => names.has(provider.name)).map((provider) => provider.provider_id);
}
