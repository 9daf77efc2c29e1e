import { type Confirmation, type FieldError, isValid, StaffId } from '@freebets/contract';
import { ask } from '../engine/statement.ts';
import { withDatabase } from '../ops/database.ts';
import { confirmRequest, vouchFor } from '../people/confirmations/confirmations.ts';
import { listConfirmations } from '../people/confirmations/sql.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, parseEmail, runChange, type WithReason } from './changes.ts';
import { type Arguments, command, table } from './command.ts';

// Admin requests that need a second person. The command line can confirm them; with a single admin it is the only way.

export const list = command({
  run: (config) =>
    withDatabase(config, ({ pool }) =>
      ask(pool, listConfirmations({ staffId: null, scope: null }, { isOpen: true, target: undefined, limit: 200 })),
    ),
  show: (requests) =>
    table(
      ['ID', 'STATE', 'BY', 'OPERATION', 'REQUEST', 'UNTIL'],
      requests.map(({ confirmation_id, state, requested_by, operation, request, expires_at }) => [
        confirmation_id,
        state,
        requested_by.email,
        operation,
        JSON.stringify(request),
        expires_at,
      ]),
    ),
});

type Result = { confirmed: Confirmation } | { email: string };

const stateText = ([detail]: FieldError[]): string => `The request ${detail?.reason}.`;

export const confirm = command({
  run: async (config, { positionals: [text], options }: Arguments<[string], WithReason>): Promise<Result> => {
    const by = cliAttribution('ConfirmationConfirm', options);
    if (isValid(StaffId, text)) {
      const messages = { confirmation_not_open: stateText };
      const work = (context: Parameters<typeof vouchFor>[0]) =>
        confirmRequest({ ...context, scope: null }, text.toLowerCase());
      return { confirmed: await runChange(config, by, work, messages) };
    }
    const email = parseEmail(text);
    const found = await runChange(config, { ...by, action: 'StaffConfirm' }, (context) => vouchFor(context, email), {});
    if (found === undefined) throw new Failure(`No staff member has the address ${email}: see "freebets staff list".`);
    return found;
  },
  show: (result) =>
    'email' in result
      ? `Confirmed. ${result.email} and the admin who admitted them now count as two people.`
      : `Confirmed. ${result.confirmed.requested_by.email} can carry out ${result.confirmed.operation} until ${result.confirmed.expires_at}.`,
});
