import { withDatabase } from '../ops/database.ts';
import { listPartners } from '../partners/callers/sql/partners.ts';
import { listProviders } from '../partners/callers/sql/providers.ts';
import { command, iso, table } from './command.ts';

// The lists used most. They take no IDs, so they avoid the contract, which takes longer to load than they take to run.

const stateOf = ({ disabled_at }: { disabled_at: unknown }): string => (disabled_at === null ? 'enabled' : 'disabled');

const networksOf = ({ allow_from }: { allow_from: string[] | null }): string => allow_from?.join(', ') ?? 'any';

/** Formats both instants as API responses do. Drops `secrets_version`, which only the console sends back. */
const withTimes = <T extends { created_at: number; disabled_at: number | null; secrets_version: string }>({
  secrets_version: _,
  created_at,
  disabled_at,
  ...row
}: T) => ({ ...row, created_at: new Date(created_at).toISOString(), disabled_at: iso(disabled_at) });

export const clientList = command({
  run: (config) => withDatabase(config, async ({ pool }) => (await listPartners(pool)).map(withTimes)),
  show: (partners) =>
    table(
      ['CLIENT_ID', 'NAME', 'STATE', 'CREATED', 'KIND', 'SECRETS', 'STAKE', 'WEBHOOK', 'SIGNING', 'FROM', 'OFFERED'],
      partners.map((partner) => [
        String(partner.client_id),
        partner.name,
        stateOf(partner),
        partner.created_at.slice(0, 10),
        partner.sandbox ? 'sandbox' : 'live',
        partner.has_previous_secret ? '2' : '1',
        partner.stake_returned ? 'returned' : 'kept',
        partner.webhook ?? 'none',
        partner.signing,
        networksOf(partner),
        partner.offers.join(', '),
      ]),
    ),
});

export const providerList = command({
  run: (config) => withDatabase(config, async ({ pool }) => (await listProviders(pool)).map(withTimes)),
  show: (providers) =>
    table(
      ['PROVIDER_ID', 'NAME', 'STATE', 'CREATED', 'SECRETS', 'SIGNING', 'FROM', 'CURRENCIES'],
      providers.map((provider) => [
        provider.provider_id,
        provider.name,
        stateOf(provider),
        provider.created_at.slice(0, 10),
        String(Number(provider.has_secret) + Number(provider.has_previous_secret)),
        provider.signing,
        networksOf(provider),
        provider.currencies.join(', '),
      ]),
    ),
});
