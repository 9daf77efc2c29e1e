import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import { providerIdFor } from '../catalogue/catalogue-file.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { insertProvider } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { type Arguments, command } from './command.ts';
import { currenciesOf, nameOf, providerIdOf } from './ids.ts';
import { rotation } from './secret.ts';
import { switching } from './switching.ts';

export const create = command({
  run: (config, { options }: Arguments<[], { name: string; currencies: string; id?: string }>) => {
    const name = nameOf(options.name);
    const currencies = currenciesOf(options.currencies);
    const providerId = providerIdOf(options.id ?? providerIdFor(name));
    return withDatabase(config, ({ pool, masterKey }) =>
      inTransaction(pool, async (connection) => {
        await announceChange(connection);
        const secret = newSecret();
        const sealed = sealSecret(masterKey, ownerOf('provider', providerId), secret);
        if (!(await insertProvider(connection, { providerId, name, currencies, secret: sealed }))) {
          throw new Failure(`A provider with the id ${providerId} or the name ${name} exists already.`);
        }
        return { provider_id: providerId, name, currencies, secret };
      }),
    );
  },
  show: ({ provider_id, name, secret }) =>
    `Provider ${provider_id} (${name}) created.\nSecret, shown only now: ${secret}`,
});

export const disable = switching('provider', 'disabled', providerIdOf);
export const enable = switching('provider', 'enabled', providerIdOf);

export const rotateSecret = rotation('provider', 'provider', providerIdOf);
