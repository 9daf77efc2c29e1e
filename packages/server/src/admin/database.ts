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
    if (distribute && undistribute) throw new Failure("--distribute and --undistribute can't be combined.");
    if (wait !== undefined && (distribute || undistribute)) {
      throw new Failure(
        `--wait runs no migrations, so it can't be combined with --${distribute ? '' : 'un'}distribute.`,
      );
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
      ...(distributed ? ['The tables are distributed.'] : []),
      ...(undistributed ?? []).map((name) => `Moved ${name} back.`),
      ...(undistributed ? ['All tables are on one machine.'] : []),
    ].join('\n'),
});

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Failure('--wait must be a number of seconds, such as 600.');
  return Number(text);
}

const unlessAllOpen = ({ unopened }: { unopened: string[] }): number => (unopened.length === 0 ? 0 : 1);

export const check = command({
  run: (config) => withDatabase(config, ({ pool, masterKey }) => checkSecrets(pool, masterKey)),
  show: ({ opened: { partner, provider, staff }, unopened }: SecretsCheck) =>
    [
      `Decrypted the secrets of ${partner} partners, ${provider} providers and ${staff} staff members.`,
      unopened.length === 0
        ? 'All secrets can be decrypted.'
        : `No given key decrypts these secrets: ${unopened.join(', ')}.`,
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
        ? 'All secrets can be decrypted with this key alone.'
        : `No given key decrypts these secrets, so they were left unchanged: ${unopened.join(', ')}.`,
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
      `Demo data loaded: ${added.join(', ') || 'nothing new'}.`,
      ...(left.length === 0
        ? []
        : [`Not added, because one with this name or ID and another secret exists: ${left.join(', ')}.`]),
      staff
        ? 'The demo staff have a public password: everyone who can reach this service can sign in as an admin.'
        : 'The demo staff were not added, because their password is public. To add them, use --with-staff.',
    ].join('\n'),
});
