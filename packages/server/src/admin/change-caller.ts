import { type CallerId, setDisabled } from '../partners/callers/callers.ts';
import type { CallerKind } from '../partners/callers/sql/secrets.ts';
import { asCommand, changing, type Sentences, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

export const actions = { partner: 'Partner', provider: 'Provider' } as const;

/** What is said where there is no such caller. */
export const noCaller = (kind: CallerKind, id: number | string): Sentences => ({
  [`${kind}_not_found`]: `There is no ${kind} ${id}.`,
});

/** Partners and providers are disabled and enabled alike; the result names the caller by the field of its kind. */
export const switching = <K extends CallerKind>(
  kind: K,
  state: 'enabled' | 'disabled',
  idOf: (text: string) => CallerId[K],
) =>
  command({
    run: async (config, { positionals: [text], options }: Arguments<[string], WithReason>) => {
      const id = idOf(text);
      const by = asCommand(`${actions[kind]}${state === 'disabled' ? 'Disable' : 'Enable'}`, options);
      const isDisabled = state === 'disabled';
      await changing(config, by, (context) => setDisabled(context, { kind, id }, isDisabled), noCaller(kind, id));
      return { [idFields[kind]]: id };
    },
    show: (result) => `${actions[kind]} ${result[idFields[kind]]} is ${state}; servers follow within two seconds.`,
  });

const idFields = { partner: 'client_id', provider: 'provider_id' };
