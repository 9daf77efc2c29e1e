import { type ChangeContext, Refused } from '../../audit/change.ts';
import type { Connection } from '../../engine/connection.ts';
import { type MasterKey, newSecret, openSecret, ownerOf, sealSecret } from '../../primitives/sealing.ts';
import { type CallerOf, changeCaller, type Owner, secretShown } from './callers.ts';
import { type CallerKind, findSecret, retirePreviousSecret, rotateSecret as saveSecret } from './sql/secrets.ts';

// Partners and providers rotate secrets in the same way: a rotation adds a new secret, and a later step retires the old
// one.

export interface SecretContext extends ChangeContext {
  masterKey: MasterKey;
}

export interface Rotated {
  secret: string;
  old_stays_valid: boolean;
}

interface SecretsRead {
  /** Refuses if the secrets have changed since this version. */
  version?: string | undefined;
}

interface RotationGiven extends SecretsRead {
  isKeyLost?: boolean;
}

function requireSecretsVersion({ version }: SecretsRead, { secrets_version }: CallerOf[CallerKind]): void {
  if (version !== undefined && version !== secrets_version) throw new Refused('secrets_changed');
}

/** If the master key of the old secret is lost, the old secret is not decrypted, and only the new one is valid. */
export const rotateSecret = <K extends CallerKind>(
  context: SecretContext,
  owner: Owner<K>,
  { isKeyLost = false, ...read }: RotationGiven = {},
): Promise<CallerOf[K] & Rotated> =>
  changeCaller(
    context,
    owner,
    async (connection, before) => {
      requireSecretsVersion(read, before);
      const hasOld = isKeyLost ? false : await hasReadableSecret(connection, context.masterKey, owner);
      const secret = newSecret();
      const sealed = sealSecret(context.masterKey, ownerOf(owner.kind, owner.id), secret);
      await saveSecret(connection, owner.kind, owner.id, sealed);
      if (isKeyLost) await retirePreviousSecret(connection, owner.kind, owner.id);
      return { secret, old_stays_valid: hasOld };
    },
    {
      recorded: secretShown,
      needsSecond: ({ name, secrets_version }) => ({ name, secrets_version }),
    },
  );

export const retireSecret = <K extends CallerKind>(
  context: SecretContext,
  owner: Owner<K>,
  read: SecretsRead = {},
): Promise<CallerOf[K]> =>
  changeCaller(context, owner, async (connection, before) => {
    requireSecretsVersion(read, before);
    await hasReadableSecret(connection, context.masterKey, owner);
    await retirePreviousSecret(connection, owner.kind, owner.id);
    return {};
  });

/** Whether the caller has a secret. Throws if it can't be decrypted. */
async function hasReadableSecret(connection: Connection, masterKey: MasterKey, { kind, id }: Owner): Promise<boolean> {
  const current = await findSecret(connection, kind, id);
  if (current && openSecret(masterKey, ownerOf(kind, id), current) === undefined) {
    throw new Refused('secret_not_readable');
  }
  return current !== null;
}
