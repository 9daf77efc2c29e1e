import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import type { Config } from '../config.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import {
  insertPartner,
  listPartners,
  nextClientId,
  type PartnerSettings,
  replaceOffers,
  setPartnerDisabled,
  updatePartner,
} from '../sql/partners.ts';
import { listProviders } from '../sql/providers.ts';
import { announceChange } from '../sql/reference.ts';
import { type Arguments, command, iso, table } from './command.ts';
import { nameOf, rotation } from './secret.ts';

const maxClientId = 2_147_483_647;

export function clientIdOf(text: string | undefined): number {
  const id = Number(text);
  if (/^\d{1,10}$/.test(text ?? '') && id >= 1 && id <= maxClientId) return id;
  throw new Failure(`A CLIENT_ID is a whole number from 1 to ${maxClientId}.`);
}

async function freeClientId(connection: Connection): Promise<number> {
  const id = await nextClientId(connection);
  if (id > maxClientId) throw new Failure('There is no next CLIENT_ID: choose one with --id.');
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

function settingsOf({ name, 'stake-returned': stakeReturned }: Arguments['options']): PartnerSettings {
  if (stakeReturned !== undefined && stakeReturned !== 'yes' && stakeReturned !== 'no') {
    throw new Failure('--stake-returned is yes or no.');
  }
  return {
    ...(name !== undefined && { name: nameOf(name) }),
    ...(stakeReturned !== undefined && { stakeReturned: stakeReturned === 'yes' }),
  };
}

const create = command({
  usage: 'client create --name NAME [--id CLIENT_ID] [--offer all|none|PROVIDER_ID,…] [--stake-returned yes|no]',
  about: 'Create a partner and show its secret, once.',
  options: {
    name: { type: 'string' },
    id: { type: 'string' },
    offer: { type: 'string', default: 'none' },
    'stake-returned': { type: 'string' },
  },
  run: (config, { options }) =>
    withDatabase(config, ({ pool, masterKey }) =>
      inTransaction(pool, async (connection) => {
        await announceChange(connection);
        const name = nameOf(options.name);
        const settings = settingsOf(options);
        const offers = await offeredProviders(connection, String(options.offer));
        const clientId = options.id === undefined ? await freeClientId(connection) : clientIdOf(String(options.id));
        const secret = newSecret();
        const sealed = sealSecret(masterKey, ownerOf('partner', clientId), secret);
        if (!(await insertPartner(connection, clientId, name, sealed))) {
          throw new Failure(`Partner ${clientId} exists already.`);
        }
        await replaceOffers(connection, clientId, offers);
        await updatePartner(connection, clientId, settings);
        return { client_id: clientId, name, secret, offers, stake_returned: settings.stakeReturned ?? false };
      }),
    ),
  show: ({ client_id, name, secret, offers }) =>
    `Partner ${client_id} (${name}) created.\nSecret, shown only now: ${secret}\n` +
    `Offered: ${offers.join(', ') || `no providers yet; see freebets client offer ${client_id} …`}`,
});

const list = command({
  usage: 'client list',
  about: 'List the partners.',
  run: (config) =>
    withDatabase(config, async ({ pool }) =>
      (await listPartners(pool)).map((partner) => ({
        ...partner,
        created_at: iso(partner.created_at),
        disabled_at: iso(partner.disabled_at),
      })),
    ),
  show: (partners) =>
    table(
      ['CLIENT_ID', 'NAME', 'STATE', 'CREATED', 'SECRETS', 'STAKE', 'WEBHOOK', 'OFFERED'],
      partners.map((partner) => [
        String(partner.client_id),
        partner.name,
        partner.disabled_at === null ? 'enabled' : 'disabled',
        partner.created_at?.slice(0, 10) ?? '',
        partner.has_previous_secret ? '2' : '1',
        partner.stake_returned ? 'returned' : 'kept',
        partner.webhook ?? 'none',
        partner.offers.join(', '),
      ]),
    ),
});

const change = (
  config: Config,
  { positionals }: Arguments,
  work: (connection: Connection, clientId: number) => Promise<boolean>,
) =>
  withDatabase(config, ({ pool }) =>
    inTransaction(pool, async (connection) => {
      const clientId = clientIdOf(positionals[0]);
      await announceChange(connection);
      if (!(await work(connection, clientId))) throw new Failure(`There is no partner ${clientId}.`);
      return clientId;
    }),
  );

const switchTo = (verb: 'enable' | 'disable', about: string) =>
  command({
    usage: `client ${verb} CLIENT_ID`,
    about,
    run: async (config, args) => ({
      client_id: await change(config, args, (connection, id) => setPartnerDisabled(connection, id, verb === 'disable')),
    }),
    show: ({ client_id }) => `Partner ${client_id} is ${verb}d; servers follow within two seconds.`,
  });

const update = command({
  usage: 'client update CLIENT_ID [--name NAME] [--stake-returned yes|no]',
  about: 'Change the name of a partner, or whether a won free bet pays its stake as well.',
  options: { name: { type: 'string' }, 'stake-returned': { type: 'string' } },
  run: async (config, args) => {
    const settings = settingsOf(args.options);
    if (Object.keys(settings).length === 0) throw new Failure('Nothing to change: give --name or --stake-returned.');
    const client_id = await change(config, args, (connection, id) => updatePartner(connection, id, settings));
    return { client_id };
  },
  show: ({ client_id }) => `Partner ${client_id} is updated; servers follow within two seconds.`,
});

const offer = command({
  usage: 'client offer CLIENT_ID PROVIDERS',
  about: 'Set which providers a partner is offered: all, none, or their ids with commas between.',
  run: async (config, args) => {
    let offers: string[] = [];
    const client_id = await change(config, args, async (connection, id) => {
      offers = await offeredProviders(connection, args.positionals[1] ?? '');
      const exists = (await listPartners(connection)).some((partner) => partner.client_id === id);
      if (exists) await replaceOffers(connection, id, offers);
      return exists;
    });
    return { client_id, offers };
  },
  show: ({ client_id, offers }) => `Partner ${client_id} is offered: ${offers.join(', ') || 'no providers'}.`,
});

export const clientCommands = [
  create,
  update,
  list,
  switchTo('disable', 'Refuse every request of a partner, until it is enabled again.'),
  switchTo('enable', 'Accept the requests of a disabled partner again.'),
  rotation('partner', 'client rotate-secret CLIENT_ID', clientIdOf),
  offer,
];
