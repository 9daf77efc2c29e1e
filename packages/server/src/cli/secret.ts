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

/** Rotation works alike for partners and providers: a new secret beside the old one, and later the old one retired. */
export const rotation = (kind: CallerKind, usage: string, idOf: (text: string | undefined) => Owner['id']) =>
  command({
    usage: `${usage} [--retire-old] [--lost-key]`,
    about:
      'Make a new secret, shown once; the old one stays valid until --retire-old. With --lost-key, after the master key was lost.',
    options: { 'retire-old': { type: 'boolean' }, 'lost-key': { type: 'boolean' } },
    run: (config, { positionals, options }) =>
      withDatabase(
        config,
        ({ pool, masterKey }) =>
          inTransaction(pool, async (connection) => {
            const owner = { kind, id: idOf(positionals[0]) };
            await announceChange(connection);
            return { id: owner.id, ...(await rotate(connection, masterKey, owner, options)) };
          }),
        { anyMasterKey: options['lost-key'] === true },
      ),
    show: ({ id, secret, old_stays_valid }) =>
      [
        ...(secret === null ? [] : [`New secret of ${kind} ${id}, shown only now: ${secret}`]),
        old_stays_valid
          ? `The old one stays valid until: freebets ${usage.split(' ').slice(0, 2).join(' ')} ${id} --retire-old`
          : `Only the newest secret of ${kind} ${id} is valid now.`,
      ].join('\n'),
  });

/** The new secret is null when the old one was only retired. */
async function rotate(
  connection: Connection,
  masterKey: Buffer,
  { kind, id }: Owner,
  { 'retire-old': retireOld, 'lost-key': lostKey }: Arguments['options'],
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

export function nameOf(text: unknown): string {
  if (typeof text === 'string' && /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,128}$/u.test(text)) return text;
  throw new Failure('A name of 1 to 128 characters is needed: --name "…".');
}
