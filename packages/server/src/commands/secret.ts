import { newSecret, ownerOf, sealSecret } from '../callers/secrets.ts';
import { withDatabase } from '../database.ts';
import { Failure } from '../failure.ts';
import { inTransaction } from '../sql/connection.ts';
import { announceChange } from '../sql/reference.ts';
import { type CallerKind, retirePreviousSecret, rotateSecret } from '../sql/secrets.ts';
import { command } from './command.ts';

/** Rotation works alike for partners and providers: a new secret beside the old one, and later the old one retired. */
export const rotation = <Id extends number | string>(
  kind: CallerKind,
  usage: string,
  idOf: (text: string | undefined) => Id,
) =>
  command({
    usage: `${usage} [--retire-old]`,
    about: 'Make a new secret, shown once; the old one stays valid until --retire-old.',
    options: { 'retire-old': { type: 'boolean' } },
    run: (config, { positionals, options }) =>
      withDatabase(config, ({ pool, masterKey }) =>
        inTransaction(pool, async (connection) => {
          const id = idOf(positionals[0]);
          await announceChange(connection);
          const secret = options['retire-old'] ? undefined : newSecret();
          const found =
            secret === undefined
              ? await retirePreviousSecret(connection, kind, id)
              : await rotateSecret(connection, kind, id, sealSecret(masterKey, ownerOf(kind, id), secret));
          if (!found) throw new Failure(`There is no ${kind} ${id}.`);
          return { id, secret: secret ?? null };
        }),
      ),
    show: ({ id, secret }) =>
      secret === null
        ? `Only the newest secret of ${kind} ${id} is valid now.`
        : `New secret of ${kind} ${id}, shown only now: ${secret}\n` +
          `The old one stays valid until: freebets ${usage.split(' ').slice(0, 2).join(' ')} ${id} --retire-old`,
  });

export function nameOf(text: unknown): string {
  if (typeof text === 'string' && /^[^\p{Cc}]{1,128}$/u.test(text)) return text;
  throw new Failure('A name of 1 to 128 characters is needed: --name "…".');
}
