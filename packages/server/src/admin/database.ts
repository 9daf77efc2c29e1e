import assert from 'node:assert/strict';
import { addDemo } from '../demo/demo.ts';
import { awaitSchema, type Migrated, migrateDatabase, withDatabase } from '../ops/database.ts';
import { migrations } from '../ops/schema/migrations.ts';
import { checkSecrets, type Resealing, resealAll, type SecretsCheck } from '../partners/master-key/master-key.ts';
import { changeReference } from '../partners/reference/change.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, runChange, type WithReason } from './changes.ts';
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
      throw new Failure(`--wait runs nothing, so it can't be combined with --${distribute ? '' : 'un'}distribute.`);
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

const unlessAllOpen = ({ unopened }: { unopened: string[] }): number => (unopened.length === 0 ? 0 : 1);

export const check = command({
  run: (config) => withDatabase(config, ({ pool, masterKey }) => checkSecrets(pool, masterKey)),
  show: ({ opened: { partner, provider, staff }, unopened }: SecretsCheck) =>
    [
      `Opened: the secrets of ${partner} partners, ${provider} providers and ${staff} staff members.`,
      unopened.length === 0 ? 'Every secret opens.' : `These open with none of the keys given: ${unopened.join(', ')}.`,
    ].join('\n'),
  exitCode: unlessAllOpen,
});

export const rotate = command({
  run: (config, { options }: Arguments<[], WithReason>) =>
    runChange(config, cliAttribution('KeysRotate', options), resealAll, {}),
  show: ({ key_id, resealed: { partner, provider, staff }, unopened }: Resealing) =>
    [
      `Re-encrypted under the key ${key_id}: the secrets of ${partner} partners, ${provider} providers and ${staff} staff members.`,
      unopened.length === 0
        ? 'Every secret opens with this key alone.'
        : `These open with none of the keys given, and are left as they are: ${unopened.join(', ')}.`,
    ].join('\n'),
  exitCode: unlessAllOpen,
});

interface DemoOptions extends WithReason {
  withStaff?: boolean | undefined;
}

export const demo = command({
  run(config, { options }: Arguments<[], DemoOptions>) {
    // The demo's admin has a public password, so any database other than the embedded one needs --with-staff.
    const staff = config.DATABASE_URL === undefined || options.withStaff === true;
    return runChange(
      config,
      cliAttribution('DemoLoad', options),
      ({ masterKey, ...context }) =>
        changeReference(context, async (connection) => {
          const done = { ...(await addDemo(connection, masterKey, { staff })), staff };
          return { answer: done, changed: { target: { kind: 'demo', id: '' }, before: null, after: done } };
        }),
      {},
    );
  },
  show: ({ added, left, staff }) =>
    [
      `Demo data loaded: ${added.join(', ') || 'all of it was there already'}.`,
      ...(left.length === 0
        ? []
        : [`Not added, since there is one of that name or id without the secret of the demo: ${left.join(', ')}.`]),
      staff
        ? 'The demo people have a public password: everyone who can reach this service can sign in as an admin.'
        : 'No people were added, since their password is public: --with-staff adds them.',
    ].join('\n'),
});
