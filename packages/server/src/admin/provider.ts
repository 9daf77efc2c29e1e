import { createProvider, updateProvider } from '../partners/callers/providers.ts';
import { providerIdFor } from '../partners/catalogue/file.ts';
import { Failure } from '../primitives/failure.ts';
import { type AccessOptions, accessOf, callerNotFound, rotationCommand, switchCommand } from './callers.ts';
import { cliAttribution, parseCurrencies, parseName, parseProviderId, runChange, type WithReason } from './changes.ts';
import { type Arguments, command } from './command.ts';

type Creation = AccessOptions & WithReason & { name: string; currencies: string; id?: string };

export const create = command({
  run: async (config, { options }: Arguments<[], Creation>) => {
    const access = accessOf(options);
    const name = parseName(options.name);
    const currencies = parseCurrencies(options.currencies);
    const id = parseProviderId(options.id ?? providerIdFor(name));
    const by = cliAttribution('ProviderCreate', options);
    const work = (context: Parameters<typeof createProvider>[0]) =>
      createProvider(context, { id, name, currencies, ...access });
    const { provider_id, secret, signing, allow_from } = await runChange(config, by, work, {
      already_exists: `A provider with the ID ${id} or the name ${name} already exists.`,
    });
    return { provider_id, name, currencies, secret, signing, allow_from };
  },
  show: ({ provider_id, name, secret }) => `Provider ${provider_id} (${name}) created.\nSecret (shown once): ${secret}`,
  lostMessage: ({ provider_id }) =>
    `Provider ${provider_id} was created, but its secret could not be shown. Create another with: freebets provider rotate-secret ${provider_id}`,
});

export const disable = switchCommand('provider', 'disabled', parseProviderId);
export const enable = switchCommand('provider', 'enabled', parseProviderId);

export const update = command({
  run: async (config, { positionals: [text], options }: Arguments<[string], AccessOptions & WithReason>) => {
    const access = accessOf(options);
    if (Object.keys(access).length === 0) throw new Failure('Nothing to change: use --signing or --allow-from.');
    const id = parseProviderId(text);
    const by = cliAttribution('ProviderUpdate', options);
    await runChange(config, by, (context) => updateProvider(context, id, access), callerNotFound('provider', id));
    return { provider_id: id };
  },
  show: ({ provider_id }) => `Provider ${provider_id} is updated; servers apply the change within two seconds.`,
});

export const rotateSecret = rotationCommand('provider', 'provider', parseProviderId);
