import { createPartner, type Offers, offerProviders, updatePartner } from '../partners/callers/partners.ts';
import type { PartnerSettings } from '../partners/callers/sql/partners.ts';
import { Failure } from '../primitives/failure.ts';
import { type AccessTyped, accessOf, noCaller, rotation, switching } from './callers.ts';
import { asCommand, asSentence, changing, clientIdOf, nameOf, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

/** "all", "none", or provider ids with commas between them. */
function offersIn(text: string): Offers {
  if (text === 'all') return 'all';
  return text === 'none' ? [] : [...new Set(text.split(',').map((id) => id.trim()))];
}

interface SettingsTyped extends AccessTyped, WithReason {
  name?: string;
  stakeReturned?: 'yes' | 'no';
}

const settingsOf = ({ name, stakeReturned }: SettingsTyped): PartnerSettings => ({
  ...(name !== undefined && { name: nameOf(name) }),
  ...(stakeReturned !== undefined && { stakeReturned: stakeReturned === 'yes' }),
});

type Creation = SettingsTyped & { name: string; id?: string; offer?: string; sandbox?: boolean };

export const create = command({
  run: async (config, { options }: Arguments<[], Creation>) => {
    const id = options.id === undefined ? undefined : clientIdOf(options.id);
    const given = {
      ...settingsOf(options),
      ...accessOf(options),
      name: nameOf(options.name),
      id,
      offers: offersIn(options.offer ?? 'none'),
      isSandbox: options.sandbox ?? false,
    };
    const made = await changing(
      config,
      asCommand('PartnerCreate', options),
      (context) => createPartner(context, given),
      {
        already_exists: `Partner ${id} exists already.`,
        provider_not_found: asSentence,
        invalid_request: 'There is no next CLIENT_ID: choose one with --id.',
      },
    );
    const { client_id, name, secret, offered: offers, stake_returned, sandbox, signing, allow_from } = made;
    return { client_id, name, secret, offers, stake_returned, sandbox, signing, allow_from };
  },
  show: ({ client_id, name, secret, offers, sandbox }) =>
    `${sandbox ? 'Sandbox partner' : 'Partner'} ${client_id} (${name}) created.\nSecret, shown only now: ${secret}\n` +
    `Offered: ${offers.join(', ') || `no providers yet; see freebets client offer ${client_id} …`}`,
  lost: ({ client_id }) =>
    `Partner ${client_id} is created, but its secret was not shown: make another with freebets client rotate-secret ${client_id}`,
});

export const disable = switching('partner', 'disabled', clientIdOf);
export const enable = switching('partner', 'enabled', clientIdOf);

export const update = command({
  run: async (config, { positionals: [id], options }: Arguments<[string], SettingsTyped>) => {
    const settings = { ...settingsOf(options), ...accessOf(options) };
    if (Object.keys(settings).length === 0) {
      throw new Failure('Nothing to change: give --name, --stake-returned, --signing or --allow-from.');
    }
    const client_id = clientIdOf(id);
    const by = asCommand('PartnerUpdate', options);
    await changing(
      config,
      by,
      (context) => updatePartner(context, client_id, settings),
      noCaller('partner', client_id),
    );
    return { client_id };
  },
  show: ({ client_id }) => `Partner ${client_id} is updated; servers follow within two seconds.`,
});

export const rotateSecret = rotation('partner', 'client', clientIdOf);

export const offer = command({
  run: async (config, { positionals: [id, providers], options }: Arguments<[string, string], WithReason>) => {
    const client_id = clientIdOf(id);
    const by = asCommand('PartnerOffer', options);
    const work = (context: Parameters<typeof offerProviders>[0]) =>
      offerProviders(context, client_id, offersIn(providers));
    const sentences = { ...noCaller('partner', client_id), provider_not_found: asSentence };
    return { client_id, offers: (await changing(config, by, work, sentences)).offered };
  },
  show: ({ client_id, offers }) => `Partner ${client_id} is offered: ${offers.join(', ') || 'no providers'}.`,
});
