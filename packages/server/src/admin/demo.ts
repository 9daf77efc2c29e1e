import { addDemo } from '../demo/demo.ts';
import { changeReference } from '../partners/reference/change.ts';
import { asCommand, changing, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';

interface DemoOptions extends WithReason {
  withStaff?: boolean | undefined;
}

export const demo = command({
  run(config, { options }: Arguments<[], DemoOptions>) {
    // Elsewhere than in a database to try things with, nobody gets an admin whose password everybody knows unasked.
    const staff = config.DATABASE_URL === undefined || options.withStaff === true;
    return changing(
      config,
      asCommand('DemoLoad', options),
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
        ? 'The people of the demo have a public password: whoever reaches this service can sign in as an admin.'
        : 'No people were added, since their password is public: --with-staff adds them.',
    ].join('\n'),
});
