import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { announceChange } from '../sql/reference.ts';
import { type CallerKind, setCallerDisabled } from '../sql/secrets.ts';
import { type Arguments, command } from './command.ts';

/** Partners and providers are disabled and enabled alike; the result names the caller by the field of its kind. */
export const switching = <Id extends number | string>(
  kind: CallerKind,
  state: 'enabled' | 'disabled',
  idOf: (text: string) => Id,
) =>
  command({
    run: async (config, { positionals: [text] }: Arguments<[string]>) => {
      const id = idOf(text);
      return withDatabase(config, ({ pool }) =>
        inTransaction(pool, async (connection) => {
          await announceChange(connection);
          if (await setCallerDisabled(connection, kind, id, state === 'disabled')) return { [idFields[kind]]: id };
          throw new Failure(`There is no ${kind} ${id}.`);
        }),
      );
    },
    show: (result) => `${titles[kind]} ${result[idFields[kind]]} is ${state}; servers follow within two seconds.`,
  });

const idFields = { partner: 'client_id', provider: 'provider_id' };
const titles = { partner: 'Partner', provider: 'Provider' };
