import { createProvider, updateProvider } from '../partners/callers/providers.ts';
import { providerIdFor } from '../partners/catalogue/file.ts';
import { Failure } from '../primitives/failure.ts';
import { type AccessTyped, accessOf, noCaller, rotation, switching } from './callers.ts';
import { asCommand, changing, currenciesOf, nameOf, providerIdOf, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

type Creation = AccessTyped & WithReason & { name: string; currencies: string; id?: string };

export const create = command({
  run: async (config, { options }: Arguments<[], Creation>) => {
    const access = accessOf(options);
    const name = nameOf(options.name);
    const currencies = currenciesOf(options.currencies);
    const id = providerIdOf(options.id ?? providerIdFor(name));
    const by = asCommand('ProviderCreate', options);
    const work = (context: Parameters<typeof createProvider>[0]) =>
      createProvider(context, { id, name, currencies, ...access });
    const { provider_id, secret, signing, allow_from } = await changing(config, by, work, {
      already_exists: `A provider with the id ${id} or the name ${name} exists already.`,
    });
    return { provider_id, name, currencies, secret, signing, allow_from };
  },
  show: ({ provider_id, name, secret }) =>
    `Provider ${provider_id} (${name}) created.\nSecret, shown only now: ${secret}`,
  lost: ({ provider_id }) =>
    `Provider ${provider_id} is created, but its secret was not shown: make another with freebets provider rotate-secret ${provider_id}`,
});

export const disable = switching('provider', 'disabled', providerIdOf);
export const enable = switching('provider', 'enabled', providerIdOf);

export const update = command({
  run: async (config, { positionals: [text], options }: Arguments<[string], AccessTyped & WithReason>) => {
    const access = accessOf(options);
    if (Object.keys(access).length === 0) throw new Failure('Nothing to change: give --signing or --allow-from.');
    const id = providerIdOf(text);
    const by = asCommand('ProviderUpdate', options);
    await changing(config, by, (context) => updateProvider(context, id, access), noCaller('provider', id));
    return { provider_id: id };
  },
  show: ({ provider_id }) => `Provider ${provider_id} is updated; servers follow within two seconds.`,
});

export const rotateSecret = rotation('provider', 'provider', providerIdOf);
