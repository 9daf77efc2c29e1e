import { type CallerId, type Owner, setDisabled } from '../partners/callers/callers.ts';
import { retireSecret, rotateSecret, type SecretContext } from '../partners/callers/secrets.ts';
import type { AccessGiven, CallerAccess, CallerKind } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';
import { readNetworks } from '../primitives/networks.ts';
import { cliAttribution, type RefusalMessages, runChange, type WithReason } from './changes.ts';
import { type Arguments, command } from './command.ts';

const actions = { partner: 'Partner', provider: 'Provider' } as const;

/** The message for a caller that does not exist. */
export const callerNotFound = (kind: CallerKind, id: number | string): RefusalMessages => ({
  [`${kind}_not_found`]: `There is no ${kind} ${id}.`,
});

/** Disables or enables a partner or a provider. The result has the caller's ID under `client_id` or `provider_id`. */
export const switchCommand = <K extends CallerKind>(
  kind: K,
  state: 'enabled' | 'disabled',
  idOf: (text: string) => CallerId[K],
) =>
  command({
    run: async (config, { positionals: [text], options }: Arguments<[string], WithReason>) => {
      const id = idOf(text);
      const by = cliAttribution(`${actions[kind]}${state === 'disabled' ? 'Disable' : 'Enable'}`, options);
      const isDisabled = state === 'disabled';
      await runChange(
        config,
        by,
        (context) => setDisabled(context, { kind, id }, isDisabled),
        callerNotFound(kind, id),
      );
      return { [idFields[kind]]: id };
    },
    show: (result) =>
      `${actions[kind]} ${result[idFields[kind]]} is ${state}; servers apply the change within two seconds.`,
  });

const idFields = { partner: 'client_id', provider: 'provider_id' };

// Access rules beyond a valid signature. Partners and providers take the same options.

export interface AccessOptions {
  signing?: CallerAccess['signing'];
  allowFrom?: string;
}

/** Settings that are absent stay unchanged. */
export const accessOf = ({ signing, allowFrom }: AccessOptions): AccessGiven => ({
  ...(signing !== undefined && { signing }),
  ...(allowFrom !== undefined && { allow_from: parseNetworks(allowFrom) }),
});

function parseNetworks(text: string): string[] | null {
  if (text === 'any') return null;
  const read = readNetworks(text);
  if ('networks' in read) return read.networks;
  throw new Failure(`--allow-from must be any, or networks separated by commas: ${read.wrong}.`);
}

interface RotationOptions extends WithReason {
  retireOld?: boolean;
  lostKey?: boolean;
}

/** Rotates the secret of a partner or a provider. The old secret stays valid until it is retired. */
export const rotationCommand = <K extends CallerKind>(
  kind: K,
  group: 'client' | 'provider',
  idOf: (text: string) => CallerId[K],
) =>
  command({
    run: async (config, { positionals: [text], options }: Arguments<[string], RotationOptions>) => {
      const id = idOf(text);
      const { retireOld = false, lostKey = false } = options;
      if (retireOld && lostKey)
        throw new Failure("--lost-key and --retire-old can't be combined: --lost-key ends the old secret too.");
      const by = cliAttribution(`${actions[kind]}${retireOld ? 'RetireSecret' : 'RotateSecret'}`, options);
      const messages = {
        ...callerNotFound(kind, id),
        secret_not_readable: `The secret of ${kind} ${id} cannot be decrypted with SECRETS_KEY. If its key is lost, use --lost-key.`,
      };
      const work = (context: SecretContext) => rotateOrRetire(context, { kind, id }, retireOld, lostKey);
      return { id, ...(await runChange(config, by, work, messages, { anyMasterKey: lostKey })) };
    },
    show: ({ id, secret, old_stays_valid }) =>
      [
        ...(secret === null ? [] : [`New secret of ${kind} ${id} (shown once): ${secret}`]),
        old_stays_valid
          ? `The old secret stays valid until you run: freebets ${group} rotate-secret ${id} --retire-old`
          : `Only the newest secret of ${kind} ${id} is valid now.`,
      ].join('\n'),
    lostMessage: ({ id, secret, old_stays_valid }) =>
      secret === null
        ? undefined
        : `The new secret of ${kind} ${id} was created but could not be shown: rotate it again${old_stays_valid ? '. This also ends the old secret' : ''}.`,
  });

/** `secret` is null if the old secret was only retired. */
async function rotateOrRetire<K extends CallerKind>(
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
