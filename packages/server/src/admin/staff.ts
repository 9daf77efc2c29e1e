import { errors, type FieldError, type Invitation, type Member, type Role } from '@freebets/contract';
import { ask } from '../engine/statement.ts';
import type { Config } from '../ops/config.ts';
import { withDatabase } from '../ops/database.ts';
import { addressAt, runningServer } from '../ops/server-address.ts';
import {
  allStaff,
  disableStaff,
  enableStaff,
  inviteStaff,
  type LinkContext,
  resetStaffPassword,
  resetStaffSecondFactor,
  type StaffContext,
} from '../people/administration.ts';
import { findMemberId } from '../people/sql/administration.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, parseClientId, parseEmail, parsePersonName, runChange, type WithReason } from './changes.ts';
import { type Arguments, command, table } from './command.ts';

// Manages staff. An operator invites the first admin here, and restores access here if the only admin is locked out.

type CommandContext = StaffContext & Pick<LinkContext, 'masterKey'>;

/** Runs `work` with the rights of an admin of all partners. */
const asAdmin = <T>(
  config: Config,
  action: string,
  given: WithReason,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> =>
  runChange(
    config,
    cliAttribution(action, given),
    (context) => work({ ...context, scope: null, times: timesOf(config) }),
    {
      already_exists: fieldMessage,
      partner_not_found: fieldMessage,
      staff_not_found: fieldMessage,
    },
  );

/** The field and the reason, as a sentence. */
const fieldMessage = ([detail]: FieldError[]): string =>
  detail === undefined ? errors.staff_not_found.message : `The ${detail.field} ${detail.reason}.`;

const timesOf = ({ SESSION_IDLE_MIN, SESSION_HOURS }: Config) => ({ idleMin: SESSION_IDLE_MIN, hours: SESSION_HOURS });

/** Called only to make a link, so that disabling a person works without a running server. */
const publicUrlOf = async (config: Config): Promise<string> =>
  config.PUBLIC_URL ?? (await runningServer(config))?.url ?? addressAt(config.HOST, config.PORT);

export const invite = command({
  run: (
    config,
    {
      positionals: [text],
      options,
    }: Arguments<[string], WithReason & { role: Role; name?: string; partners: string; sso?: boolean }>,
  ) => {
    const email = parseEmail(text);
    const name = parsePersonName(options.name ?? (email.split('@')[0] as string));
    const partners = partnersOf(options.partners);
    const { role, sso: isSso = false } = options;
    if (isSso) requireSso(config);
    return asAdmin(config, 'StaffInvite', options, async (context) =>
      inviteStaff({ ...context, publicUrl: await publicUrlOf(config) }, { email, name, role, partners, isSso }),
    );
  },
  show: (invitation) => `${invitation.email} is invited. ${linkLines(invitation)}`,
  lostMessage: lostLink,
});

const linkLines = ({ link, expires_at }: Invitation): string =>
  `The link is shown only now and works once, until ${expires_at}:\n${link}`;

function lostLink(): string {
  return 'The link was created but could not be shown: run the command again to create another.';
}

function partnersOf(text: string): number[] | null {
  if (text === 'all') return null;
  return [...new Set(text.split(',').map((id) => parseClientId(id.trim())))];
}

function requireSso({ OIDC_ISSUER }: Config): void {
  if (OIDC_ISSUER === undefined) throw new Failure('Single sign-on is off: set OIDC_ISSUER first.');
}

export const list = command({
  run: (config) => withDatabase(config, ({ pool }) => allStaff({ pool, scope: null, times: timesOf(config) })),
  show: (staff) =>
    table(
      ['EMAIL', 'NAME', 'ROLE', 'PARTNERS', 'STATUS', 'SECOND FACTOR', 'SESSIONS', 'LAST SEEN'],
      staff.map((member) => [
        member.email,
        member.name,
        member.role,
        member.partners?.join(', ') ?? 'all',
        member.status,
        member.sso ? 'single sign-on' : member.second_factor ? 'yes' : 'no',
        String(member.sessions),
        member.last_seen_at ?? 'never',
      ]),
    ),
});

/** Runs `work` on the person with this email address. */
const onMember = <T>(
  config: Config,
  { positionals: [text], options }: Arguments<[string], WithReason>,
  action: string,
  work: (context: CommandContext, staffId: string) => Promise<T>,
): Promise<T> => {
  const email = parseEmail(text);
  return asAdmin(config, action, options, async (context) => {
    const staffId = await ask(context.pool, findMemberId(email));
    if (staffId === undefined)
      throw new Failure(`No staff member has the address ${email}: see "freebets staff list".`);
    return work(context, staffId);
  });
};

const memberChange = (
  action: string,
  change: (context: StaffContext, staffId: string) => Promise<Member>,
  sentence: (member: Member) => string,
) =>
  command({
    run: (config, given: Arguments<[string], WithReason>) => onMember(config, given, action, change),
    show: sentence,
  });

export const disable = memberChange('StaffDisable', disableStaff, ({ email }) => `${email} is disabled.`);
export const enable = memberChange('StaffEnable', enableStaff, ({ email, status }) => `${email} is ${status}.`);
export const resetMfa = memberChange(
  'StaffResetSecondFactor',
  resetStaffSecondFactor,
  ({ email }) => `${email} has no second factor now and must set one up at the next sign-in.`,
);

export const resetPassword = command({
  run: (config, given: Arguments<[string], WithReason & { sso?: boolean }>) => {
    const { sso: isSso = false } = given.options;
    if (isSso) requireSso(config);
    return onMember(config, given, 'StaffResetPassword', async (context, staffId) =>
      resetStaffPassword({ ...context, publicUrl: await publicUrlOf(config) }, staffId, isSso),
    );
  },
  show: linkLines,
  lostMessage: lostLink,
});
