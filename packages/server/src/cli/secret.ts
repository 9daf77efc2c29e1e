import { newSecret, openSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { announceChange } from '../sql/reference.ts';
import { type CallerKind, findSecret, retirePreviousSecret, rotateSecret } from '../sql/secrets.ts';
import { type Arguments, command } from './command.ts';

interface Owner {
  kind: CallerKind;
  id: number | string;
}

interface RotationOptions {
  retireOld?: boolean;
  lostKey?: boolean;
}

/** Rotation works alike for partners and providers: a new secret beside the old one, and later the old one retired. */
export const rotation = (kind: CallerKind, group: 'client' | 'provider', idOf: (text: string) => Owner['id']) =>
  command({
    run: (config, { positionals: [text], options }: Arguments<[string], RotationOptions>) => {
      const owner = { kind, id: idOf(text) };
      return withDatabase(
        config,
        ({ pool, masterKey }) =>
          inTransaction(pool, async (connection) => {
            await announceChange(connection);
            return { id: owner.id, ...(await rotate(connection, masterKey, owner, options)) };
          }),
        { anyMasterKey: options.lostKey === true },
      );
    },
    show: ({ id, secret, old_stays_valid }) =>
      [
        ...(secret === null ? [] : [`New secret of ${kind} ${id}, shown only now: ${secret}`]),
        old_stays_valid
          ? `The old one stays valid until: freebets ${group} rotate-secret ${id} --retire-old`
          : `Only the newest secret of ${kind} ${id} is valid now.`,
      ].join('\n'),
  });

/** The new secret is null when the old one was only retired. */
async function rotate(
  connection: Connection,
  masterKey: Buffer,
  { kind, id }: Owner,
  { retireOld = false, lostKey = false }: RotationOptions,
): Promise<{ secret: string | null; old_stays_valid: boolean }> {
  if (retireOld && lostKey) throw new Failure('--lost-key makes a new secret and leaves no old one to retire.');
  const current = await findSecret(connection, kind, id);
  if (current === undefined) throw new Failure(`There is no ${kind} ${id}.`);
  const owner = ownerOf(kind, id);
  if (!lostKey && current !== null && openSecret(masterKey, owner, current) === undefined) {
    throw new Failure(
      `The secret of ${owner} does not open with this SECRETS_KEY; if its key is lost, say --lost-key.`,
    );
  }
  const secret = retireOld ? null : newSecret();
  if (secret !== null) await rotateSecret(connection, kind, id, sealSecret(masterKey, owner, secret));
  if (retireOld || lostKey) await retirePreviousSecret(connection, kind, id);
  return { secret, old_stays_valid: !retireOld && !lostKey && current !== null };
}
