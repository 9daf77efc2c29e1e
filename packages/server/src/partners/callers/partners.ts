import { ClientId, isValid } from '@freebets/contract';
import { type ChangeContext, Refused, requireUnchanged } from '../../audit/change.ts';
import type { Connection } from '../../engine/connection.ts';
import { newSecret, ownerOf, sealSecret } from '../../primitives/sealing.ts';
import { changeReference } from '../reference/change.ts';
import { changeCaller, createdCaller, setAccess } from './callers.ts';
import type { SecretContext } from './secrets.ts';
import {
  insertPartner,
  nextClientId,
  type Partner,
  type PartnerSettings,
  replaceOffers,
  savePartnerSettings,
} from './sql/partners.ts';
import { listProviders } from './sql/providers.ts';
import type { AccessGiven, CallerAccess } from './sql/secrets.ts';

// Changes of partners by staff, from the console or the CLI.

export interface SettingsGiven extends PartnerSettings, AccessGiven {}

export interface NewPartnerGiven extends SettingsGiven {
  name: string;
  /** The next free id if absent. */
  id?: number | undefined;
  offers: Offers;
  isSandbox: boolean;
}

/** Provider ids, or all existing providers. */
export type Offers = readonly string[] | 'all';

/** Null if no id is free above the highest one. */
export async function findFreeId(connection: Connection): Promise<number | null> {
  const id = await nextClientId(connection);
  return isValid(ClientId, id) ? id : null;
}

async function nextFreeId(connection: Connection): Promise<number> {
  const id = await findFreeId(connection);
  if (id !== null) return id;
  throw new Refused('invalid_request', [{ field: 'id', reason: 'is needed: there is no next one' }]);
}

async function resolveOffers(connection: Connection, offers: Offers): Promise<string[]> {
  const known = (await listProviders(connection)).map((provider) => provider.provider_id);
  if (offers === 'all') return known;
  const unknown = offers.filter((id) => !known.includes(id));
  if (unknown.length === 0) return [...offers];
  const reason = `there is no provider ${unknown.join(', ')}; there are: ${known.join(', ') || 'none'}`;
  throw new Refused('provider_not_found', [{ field: 'offers', reason }]);
}

/** The offered providers in the order of the request. */
export interface Offered {
  offered: string[];
}

export const createPartner = (
  context: SecretContext,
  { name, id, offers, isSandbox, stakeReturned, ...access }: NewPartnerGiven,
): Promise<Partner & Offered & { secret: string }> =>
  changeReference(context, async (connection) => {
    const offered = await resolveOffers(connection, offers);
    const clientId = id ?? (await nextFreeId(connection));
    const owner = { kind: 'partner' as const, id: clientId };
    const secret = newSecret();
    const sealed = sealSecret(context.masterKey, ownerOf('partner', clientId), secret);
    if (!(await insertPartner(connection, { clientId, name, secret: sealed, isSandbox }))) {
      throw new Refused('already_exists', [
        { field: 'id', reason: `is the id of a partner that is there: ${clientId}` },
      ]);
    }
    await replaceOffers(connection, clientId, offered);
    await savePartnerSettings(connection, clientId, { stakeReturned });
    await setAccess(connection, owner, access);
    const { answer, ...rest } = await createdCaller(context, connection, owner, secret);
    return { answer: { ...answer, offered }, ...rest };
  });

export const updatePartner = (
  context: ChangeContext,
  clientId: number,
  { name, stakeReturned, ...access }: SettingsGiven,
  asRead?: Partial<CallerAccess>,
): Promise<Partner> =>
  changeCaller(
    context,
    { kind: 'partner', id: clientId },
    async (connection, before) => {
      requireUnchanged<CallerAccess>(asRead, before);
      await setAccess(connection, { kind: 'partner', id: clientId }, access);
      await savePartnerSettings(connection, clientId, { name, stakeReturned });
      return {};
    },
    {
      needsSecond: (before) =>
        stakeReturned === true && !before.stake_returned ? { name: before.name, stake_returned: false } : undefined,
    },
  );

export const offerProviders = (
  context: ChangeContext,
  clientId: number,
  offers: Offers,
  asRead?: { offers?: string[] },
): Promise<Partner & Offered> =>
  changeCaller(context, { kind: 'partner', id: clientId }, async (connection, before) => {
    requireUnchanged<Pick<Partner, 'offers'>>(asRead, before);
    const offered = await resolveOffers(connection, offers);
    await replaceOffers(connection, clientId, offered);
    return { offered };
  });
