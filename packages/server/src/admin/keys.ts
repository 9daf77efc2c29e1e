import { withDatabase } from '../ops/database.ts';
import { type Opening, openAll, type Resealing, resealAll } from '../partners/master-key/master-key.ts';
import { asCommand, changing, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

const unlessAllOpen = ({ unopened }: { unopened: string[] }): number => (unopened.length === 0 ? 0 : 1);

export const check = command({
  run: (config) => withDatabase(config, ({ pool, masterKey }) => openAll(pool, masterKey)),
  show: ({ opened: { partner, provider, staff }, unopened }: Opening) =>
    [
      `Opened: the secrets of ${partner} partners, ${provider} providers and ${staff} of the staff.`,
      unopened.length === 0 ? 'Every secret opens.' : `These open with none of the keys given: ${unopened.join(', ')}.`,
    ].join('\n'),
  exitCode: unlessAllOpen,
});

export const rotate = command({
  run: (config, { options }: Arguments<[], WithReason>) =>
    changing(config, asCommand('KeysRotate', options), resealAll, {}),
  show: ({ key_id, resealed: { partner, provider, staff }, unopened }: Resealing) =>
    [
      `Sealed anew under the key ${key_id}: the secrets of ${partner} partners, ${provider} providers and ${staff} of the staff.`,
      unopened.length === 0
        ? 'Every secret opens with this key alone.'
        : `These open with none of the keys given, and are left as they are: ${unopened.join(', ')}.`,
    ].join('\n'),
  exitCode: unlessAllOpen,
});
