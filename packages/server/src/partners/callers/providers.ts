import { type ChangeContext, Refused, requireUnchanged } from '../../audit/change.ts';
import { newSecret, ownerOf, sealSecret } from '../../primitives/sealing.ts';
import { providerIdFor } from '../catalogue/file.ts';
import { changeReference } from '../reference/change.ts';
import { changeCaller, createdCaller, setAccess } from './callers.ts';
import type { SecretContext } from './secrets.ts';
import { insertProvider, type Provider } from './sql/providers.ts';
import type { AccessGiven, CallerAccess } from './sql/secrets.ts';

// Changes of game providers by staff, from the console or the CLI. Names, currencies and games come from the catalogue.

export interface NewProviderGiven extends AccessGiven {
  /** Derived from the name if absent. */
  id?: string | undefined;
  name: string;
  currencies: readonly string[];
}

export const createProvider = (
  context: SecretContext,
  { name, id = providerIdFor(name), currencies, ...access }: NewProviderGiven,
): Promise<Provider & { secret: string }> =>
  changeReference(context, async (connection) => {
    const secret = newSecret();
    const sealed = sealSecret(context.masterKey, ownerOf('provider', id), secret);
    if (!(await insertProvider(connection, { providerId: id, name, currencies, secret: sealed }))) {
      throw new Refused('already_exists', [{ field: 'name', reason: `is taken, or the id ${id} is` }]);
    }
    const owner = { kind: 'provider' as const, id };
    await setAccess(connection, owner, access);
    return createdCaller(context, connection, owner, secret);
  });

export const updateProvider = (
  context: ChangeContext,
  id: string,
  access: AccessGiven,
  asRead?: Partial<CallerAccess>,
): Promise<Provider> =>
  changeCaller(context, { kind: 'provider', id }, async (connection, before) => {
    requireUnchanged<CallerAccess>(asRead, before);
    await setAccess(connection, { kind: 'provider', id }, access);
    return {};
  });
