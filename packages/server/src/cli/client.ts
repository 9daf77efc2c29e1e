import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import {
  insertPartner,
  nextClientId,
  type PartnerSettings,
  partnerExists,
  replaceOffers,
  updatePartner,
} from '../sql/partners.ts';
import { listProviders } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { setCallerAccess } from '../sql/secrets.ts';
import { type AccessGiven, accessOf } from './access.ts';
import { changeCaller, switching } from './change-caller.ts';
import { type Arguments, command } from './command.ts';
import { clientIdOf, isClientId, nameOf } from './ids.ts';
import { rotation } from './secret.ts';

async function freeClientId(connection: Connection): Promise<number> {
  const id = await nextClientId(connection);
  if (!isClientId(id)) throw new Failure('There is no next CLIENT_ID: choose one with --id.');
  return id;
}

/** "all", "none", or provider ids with commas between them. */
async function offeredProviders(connection: Connection, text: string): Promise<string[]> {
  const known = (await listProviders(connection)).map((provider) => provider.provider_id);
  if (text === 'all') return known;
  if (text === 'none') return [];
  const wanted = [...new Set(text.split(',').map((id) => id.trim()))];
  const unknown = wanted.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    throw new Failure(`There is no provider ${unknown.join(', ')}; there are: ${known.join(', ') || 'none'}.`);
  }
  return wanted;
}

interface SettingsGiven extends AccessGiven {
  name?: string;
  stakeReturned?: 'yes' | 'no';
}

const settingsOf = ({ name, stakeReturned }: SettingsGiven): PartnerSettings => ({
  ...(name !== undefined && { name: nameOf(name) }),
  ...(stakeReturned !== undefined && { stakeReturned: stakeReturned === 'yes' }),
});

export const create = command({
  run: (
    config,
    { options }: Arguments<[], SettingsGiven & { name: string; id?: string; offer?: string; sandbox?: boolean }>,
  ) => {
    const settings = settingsOf(options);
    const access = accessOf(options);
    const name = nameOf(options.name);
    const isSandbox = options.sandbox ?? false;
    const chosenId = options.id === undefined ? undefined : clientIdOf(options.id);
    return withDatabase(config, ({ pool, masterKey }) =>
      inTransaction(pool, async (connection) => {
        await announceChange(connection);
        const offers = await offeredProviders(connection, options.offer ?? 'none');
        const clientId = chosenId ?? (await freeClientId(connection));
        const secret = newSecret();
        const sealed = sealSecret(masterKey, ownerOf('partner', clientId), secret);
        if (!(await insertPartner(connection, { clientId, name, secret: sealed, isSandbox }))) {
          throw new Failure(`Partner ${clientId} exists already.`);
        }
        await replaceOffers(connection, clientId, offers);
        await updatePartner(connection, clientId, settings);
        const inForce = await setCallerAccess(connection, 'partner', clientId, access);
        const stake_returned = settings.stakeReturned ?? false;
        return { client_id: clientId, name, secret, offers, stake_returned, sandbox: isSandbox, ...inForce };
      }),
    );
  },
  show: ({ client_id, name, secret, offers, sandbox }) =>
    `${sandbox ? 'Sandbox partner' : 'Partner'} ${client_id} (${name}) created.\nSecret, shown only now: ${secret}\n` +
    `Offered: ${offers.join(', ') || `no providers yet; see freebets client offer ${client_id} …`}`,
});

export const disable = switching('partner', 'disabled', clientIdOf);
export const enable = switching('partner', 'enabled', clientIdOf);

export const update = command({
  run: async (config, { positionals: [id], options }: Arguments<[string], SettingsGiven>) => {
    const settings = settingsOf(options);
    const access = accessOf(options);
    if (Object.keys({ ...settings, ...access }).length === 0) {
      throw new Failure('Nothing to change: give --name, --stake-returned, --signing or --allow-from.');
    }
    const client_id = await changeCaller(config, 'partner', clientIdOf(id), async (connection, clientId) => {
      await setCallerAccess(connection, 'partner', clientId, access);
      return updatePartner(connection, clientId, settings);
    });
    return { client_id };
  },
  show: ({ client_id }) => `Partner ${client_id} is updated; servers follow within two seconds.`,
});

export const rotateSecret = rotation('partner', 'client', clientIdOf);

export const offer = command({
  run: async (config, { positionals: [id, providers] }: Arguments<[string, string]>) => {
    let offers: string[] = [];
    const client_id = await changeCaller(config, 'partner', clientIdOf(id), async (connection, clientId) => {
      offers = await offeredProviders(connection, providers);
      const exists = await partnerExists(connection, clientId);
      if (exists) await replaceOffers(connection, clientId, offers);
      return exists;
    });
    return { client_id, offers };
  },
  show: ({ client_id, offers }) => `Partner ${client_id} is offered: ${offers.join(', ') || 'no providers'}.`,
});
