import assert from 'node:assert/strict';
import { awaitSchema, type Migrated, migrateDatabase } from '../ops/database.ts';
import { migrations } from '../ops/schema/migrations.ts';
import { Failure } from '../primitives/failure.ts';
import { type Arguments, command } from './command.ts';

interface MigrateOptions {
  wait?: string;
  distribute?: true;
  undistribute?: true;
}

const nothing: Migrated = { ran: [], moved: null };

export const migrate = command({
  run: async (config, { options }: Arguments<[], MigrateOptions>, terminal) => {
    const { wait, distribute, undistribute } = options;
    if (distribute && undistribute) throw new Failure("--distribute and --undistribute are each other's way back.");
    if (wait !== undefined && (distribute || undistribute)) {
      throw new Failure(`--wait runs nothing, and so --${distribute ? '' : 'un'}distribute has no place beside it.`);
    }
    if (wait !== undefined) await awaitSchema(config, secondsOf(wait), terminal.stopSignal());
    const moveTo = distribute ? 'many' : undistribute && 'one';
    const { ran, moved } = wait === undefined ? await migrateDatabase(config, moveTo) : nothing;
    const newest = migrations.at(-1);
    assert(newest, 'there are migrations');
    return {
      ...{ schema: newest.name, ran },
      ...(moved && moveTo === 'many' && { distributed: moved }),
      ...(moved && moveTo === 'one' && { undistributed: moved }),
    };
  },
  show: ({ schema, ran, distributed, undistributed }) =>
    [
      ...ran.map((name) => `Ran ${name}.`),
      `The schema is up to date (${schema}).`,
      ...(distributed ?? []).map((name) => `Distributed ${name}.`),
      ...(distributed ? ['The schema is on many machines.'] : []),
      ...(undistributed ?? []).map((name) => `Brought ${name} back.`),
      ...(undistributed ? ['The schema is on one machine.'] : []),
    ].join('\n'),
});

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Failure('--wait takes a number of seconds, such as 600.');
  return Number(text);
}
