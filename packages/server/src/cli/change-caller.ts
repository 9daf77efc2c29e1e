import type { Config } from '../config.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { announceChange } from '../sql/reference.ts';
import { type CallerKind, setCallerDisabled } from '../sql/secrets.ts';
import { type Arguments, command } from './command.ts';

/** Changes what servers know of a partner or a provider; `work` says whether there is one. */
export function changeCaller<Id extends number | string>(
  config: Config,
  kind: CallerKind,
  id: Id,
  work: (connection: Connection, id: Id) => Promise<boolean>,
): Promise<Id> {
  return withDatabase(config, ({ pool }) =>
    inTransaction(pool, async (connection) => {
      await announceChange(connection);
      if (!(await work(connection, id))) throw new Failure(`There is no ${kind} ${id}.`);
      return id;
    }),
  );
}

/** Partners and providers are disabled and enabled alike; the result names the caller by the field of its kind. */
export const switching = <Id extends number | string>(
  kind: CallerKind,
  state: 'enabled' | 'disabled',
  idOf: (text: string) => Id,
) =>
  command({
    run: async (config, { positionals: [text] }: Arguments<[string]>) => ({
      [idFields[kind]]: await changeCaller(config, kind, idOf(text), (connection, id) =>
        setCallerDisabled(connection, kind, id, state === 'disabled'),
      ),
    }),
    show: (result) => `${titles[kind]} ${result[idFields[kind]]} is ${state}; servers follow within two seconds.`,
  });

const idFields = { partner: 'client_id', provider: 'provider_id' };
const titles = { partner: 'Partner', provider: 'Provider' };
