import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import { providerIdFor } from '../catalogue/catalogue-file.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { insertProvider } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { setCallerAccess } from '../sql/secrets.ts';
import { type AccessGiven, accessOf } from './access.ts';
import { changeCaller, switching } from './change-caller.ts';
import { type Arguments, command } from './command.ts';
import { currenciesOf, nameOf, providerIdOf } from './ids.ts';
import { rotation } from './secret.ts';

export const create = command({
  run: (config, { options }: Arguments<[], AccessGiven & { name: string; currencies: string; id?: string }>) => {
    const access = accessOf(options);
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
        const inForce = await setCallerAccess(connection, 'provider', providerId, access);
        return { provider_id: providerId, name, currencies, secret, ...inForce };
      }),
    );
  },
  show: ({ provider_id, name, secret }) =>
    `Provider ${provider_id} (${name}) created.\nSecret, shown only now: ${secret}`,
});

export const disable = switching('provider', 'disabled', providerIdOf);
export const enable = switching('provider', 'enabled', providerIdOf);

export const update = command({
  run: async (config, { positionals: [id], options }: Arguments<[string], AccessGiven>) => {
    const access = accessOf(options);
    if (Object.keys(access).length === 0) throw new Failure('Nothing to change: give --signing or --allow-from.');
    const provider_id = await changeCaller(
      config,
      'provider',
      providerIdOf(id),
      async (connection, providerId) =>
        (await setCallerAccess(connection, 'provider', providerId, access)) !== undefined,
    );
    return { provider_id };
  },
  show: ({ provider_id }) => `Provider ${provider_id} is updated; servers follow within two seconds.`,
});

export const rotateSecret = rotation('provider', 'provider', providerIdOf);
