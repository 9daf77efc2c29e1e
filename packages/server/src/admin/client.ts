import { createPartner, type Offers, offerProviders, updatePartner } from '../partners/callers/partners.ts';
import type { PartnerSettings } from '../partners/callers/sql/partners.ts';
import { Failure } from '../primitives/failure.ts';
import { type AccessOptions, accessOf, callerNotFound, rotationCommand, switchCommand } from './callers.ts';
import { cliAttribution, parseClientId, parseName, reasonMessage, runChange, type WithReason } from './changes.ts';
import { type Arguments, command } from './command.ts';

/** "all", "none", or provider ids with commas between them. */
function offersIn(text: string): Offers {
  if (text === 'all') return 'all';
  return text === 'none' ? [] : [...new Set(text.split(',').map((id) => id.trim()))];
}

interface SettingsOptions extends AccessOptions, WithReason {
  name?: string;
  stakeReturned?: 'yes' | 'no';
}

const settingsOf = ({ name, stakeReturned }: SettingsOptions): PartnerSettings => ({
  ...(name !== undefined && { name: parseName(name) }),
  ...(stakeReturned !== undefined && { stakeReturned: stakeReturned === 'yes' }),
});

type Creation = SettingsOptions & { name: string; id?: string; offer?: string; sandbox?: boolean };

export const create = command({
  run: async (config, { options }: Arguments<[], Creation>) => {
    const id = options.id === undefined ? undefined : parseClientId(options.id);
    const given = {
      ...settingsOf(options),
      ...accessOf(options),
      name: parseName(options.name),
      id,
      offers: offersIn(options.offer ?? 'none'),
      isSandbox: options.sandbox ?? false,
    };
    const made = await runChange(
      config,
      cliAttribution('PartnerCreate', options),
      (context) => createPartner(context, given),
      {
        already_exists: `Partner ${id} already exists.`,
        provider_not_found: reasonMessage,
        invalid_request: 'The largest CLIENT_ID is taken: choose another with --id.',
      },
    );
    const { client_id, name, secret, offered: offers, stake_returned, sandbox, signing, allow_from } = made;
    return { client_id, name, secret, offers, stake_returned, sandbox, signing, allow_from };
  },
  show: ({ client_id, name, secret, offers, sandbox }) =>
    `${sandbox ? 'Sandbox partner' : 'Partner'} ${client_id} (${name}) created.\nSecret (shown once): ${secret}\n` +
    `Offered: ${offers.join(', ') || `no providers yet; see freebets client offer ${client_id} …`}`,
  lostMessage: ({ client_id }) =>
    `Partner ${client_id} was created, but its secret could not be shown. Create another with: freebets client rotate-secret ${client_id}`,
});

export const disable = switchCommand('partner', 'disabled', parseClientId);
export const enable = switchCommand('partner', 'enabled', parseClientId);

export const update = command({
  run: async (config, { positionals: [id], options }: Arguments<[string], SettingsOptions>) => {
    const settings = { ...settingsOf(options), ...accessOf(options) };
    if (Object.keys(settings).length === 0) {
      throw new Failure('Nothing to change: use --name, --stake-returned, --signing or --allow-from.');
    }
    const client_id = parseClientId(id);
    const by = cliAttribution('PartnerUpdate', options);
    await runChange(
      config,
      by,
      (context) => updatePartner(context, client_id, settings),
      callerNotFound('partner', client_id),
    );
    return { client_id };
  },
  show: ({ client_id }) => `Partner ${client_id} is updated; servers apply the change within two seconds.`,
});

export const rotateSecret = rotationCommand('partner', 'client', parseClientId);

export const offer = command({
  run: async (config, { positionals: [id, providers], options }: Arguments<[string, string], WithReason>) => {
    const client_id = parseClientId(id);
    const by = cliAttribution('PartnerOffer', options);
    const work = (context: Parameters<typeof offerProviders>[0]) =>
      offerProviders(context, client_id, offersIn(providers));
    const messages = { ...callerNotFound('partner', client_id), provider_not_found: reasonMessage };
    return { client_id, offers: (await runChange(config, by, work, messages)).offered };
  },
  show: ({ client_id, offers }) => `Partner ${client_id} is offered: ${offers.join(', ') || 'no providers'}.`,
});
