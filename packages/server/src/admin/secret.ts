import type { CallerId, Owner } from '../partners/callers/callers.ts';
import { retireSecret, rotateSecret, type SecretContext } from '../partners/callers/secrets.ts';
import type { CallerKind } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';
import { actions, noCaller } from './change-caller.ts';
import { asCommand, changing, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

interface RotationOptions extends WithReason {
  retireOld?: boolean;
  lostKey?: boolean;
}

/** Rotation works alike for partners and providers: a new secret beside the old one, and later the old one retired. */
export const rotation = <K extends CallerKind>(
  kind: K,
  group: 'client' | 'provider',
  idOf: (text: string) => CallerId[K],
) =>
  command({
    run: async (config, { positionals: [text], options }: Arguments<[string], RotationOptions>) => {
      const id = idOf(text);
      const { retireOld = false, lostKey = false } = options;
      if (retireOld && lostKey) throw new Failure('--lost-key makes a new secret and leaves no old one to retire.');
      const by = asCommand(`${actions[kind]}${retireOld ? 'RetireSecret' : 'RotateSecret'}`, options);
      const sentences = {
        ...noCaller(kind, id),
        secret_not_readable: `The secret of ${kind} ${id} does not open with this SECRETS_KEY; if its key is lost, say --lost-key.`,
      };
      const work = (context: SecretContext) => rotated(context, { kind, id }, retireOld, lostKey);
      return { id, ...(await changing(config, by, work, sentences, { anyMasterKey: lostKey })) };
    },
    show: ({ id, secret, old_stays_valid }) =>
      [
        ...(secret === null ? [] : [`New secret of ${kind} ${id}, shown only now: ${secret}`]),
        old_stays_valid
          ? `The old one stays valid until: freebets ${group} rotate-secret ${id} --retire-old`
          : `Only the newest secret of ${kind} ${id} is valid now.`,
      ].join('\n'),
    lost: ({ id, secret, old_stays_valid }) =>
      secret === null
        ? undefined
        : `The new secret of ${kind} ${id} is made, but was not shown: make another${old_stays_valid ? ', with which the old one ends' : ''}.`,
  });

/** The new secret is null when the old one was only retired. */
async function rotated<K extends CallerKind>(
  context: SecretContext,
  owner: Owner<K>,
  retireOld: boolean,
  isKeyLost: boolean,
): Promise<{ secret: string | null; old_stays_valid: boolean }> {
  if (retireOld) {
    await retireSecret(context, owner);
    return { secret: null, old_stays_valid: false };
  }
  const { secret, old_stays_valid } = await rotateSecret(context, owner, { isKeyLost });
  return { secret, old_stays_valid };
}
