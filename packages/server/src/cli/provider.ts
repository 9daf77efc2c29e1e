import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import { providerIdOf } from '../catalogue/catalogue-file.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { insertProvider, listProviders } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { command, iso, table } from './command.ts';
import { nameOf, rotation } from './secret.ts';

function checkedProviderId(text: string | undefined): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text ?? '')) return text ?? '';
  throw new Failure('A PROVIDER_ID is 1 to 64 of a-z, 0-9 and -, and begins with a letter or digit.');
}

function checkedCurrencies(text: unknown): string[] {
  const codes = typeof text === 'string' ? [...new Set(text.split(',').map((code) => code.trim()))] : [];
  if (codes.length > 0 && codes.every((code) => /^[A-Z0-9]{3,10}$/.test(code))) return codes;
  throw new Failure('The currencies are needed, with commas between: --currencies EUR,USD.');
}

const create = command({
  usage: 'provider create --name NAME --currencies EUR,USD,… [--id PROVIDER_ID]',
  about: 'Create a game provider and show its secret, once.',
  options: { name: { type: 'string' }, id: { type: 'string' }, currencies: { type: 'string' } },
  run: (config, { options }) =>
    withDatabase(config, ({ pool, masterKey }) =>
      inTransaction(pool, async (connection) => {
        await announceChange(connection);
        const name = nameOf(options.name);
        const currencies = checkedCurrencies(options.currencies);
        const providerId = checkedProviderId(options.id === undefined ? providerIdOf(name) : String(options.id));
        const secret = newSecret();
        const sealed = sealSecret(masterKey, ownerOf('provider', providerId), secret);
        if (!(await insertProvider(connection, { providerId, name, currencies, secret: sealed }))) {
          throw new Failure(`A provider with the id ${providerId} or the name ${name} exists already.`);
        }
        return { provider_id: providerId, name, currencies, secret };
      }),
    ),
  show: ({ provider_id, name, secret }) =>
    `Provider ${provider_id} (${name}) created.\nSecret, shown only now: ${secret}`,
});

const list = command({
  usage: 'provider list',
  about: 'List the game providers.',
  run: (config) =>
    withDatabase(config, async ({ pool }) =>
      (await listProviders(pool)).map((provider) => ({ ...provider, created_at: iso(provider.created_at) })),
    ),
  show: (providers) =>
    table(
      ['PROVIDER_ID', 'NAME', 'CREATED', 'SECRETS', 'CURRENCIES'],
      providers.map((provider) => [
        provider.provider_id,
        provider.name,
        provider.created_at?.slice(0, 10) ?? '',
        String(Number(provider.has_secret) + Number(provider.has_previous_secret)),
        provider.currencies.join(', '),
      ]),
    ),
});

export const providerCommands = [
  create,
  list,
  rotation('provider', 'provider rotate-secret PROVIDER_ID', checkedProviderId),
];
