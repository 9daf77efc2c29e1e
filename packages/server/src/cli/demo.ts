import { changeReference } from '../changes/change.ts';
import { addDemo } from '../demo/demo.ts';
import { asCommand, changing, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

export const demo = command({
  run: (config, { options }: Arguments<[], WithReason>) =>
    changing(
      config,
      asCommand('DemoLoad', options),
      ({ masterKey, ...context }) =>
        changeReference(context, async (connection) => {
          const added = await addDemo(connection, masterKey);
          const changed = { target: { kind: 'demo', id: '' }, before: null, after: { added } };
          return { answer: { added }, changed };
        }),
      {},
    ),
  show: ({ added }) => `Demo data loaded: ${added.join(', ') || 'the partners and people were there already'}.`,
});
