import { commonErrors, type ErrorName, errors, type Operation, operations } from '@freebets/contract';

// The cause and the fix of each error, for docs/reference/errors.md. The type requires an entry for every error.

interface Help {
  cause: string;
  fix: string;
}

const help = (cause: string, fix: string): Help => ({ cause, fix });

export const errorHelp: Record<ErrorName, Help> = {
  invalid_request: help(
    'The body is not valid JSON, or a field is missing, unknown or has a wrong value.',
    'Correct each field in `details`. [Formats](formats.md) has the format of each value.',
  ),
  currency_not_allowed: help(
    "The campaign has no amount in this currency, or the provider of a game doesn't support it.",
    'Use a currency of the campaign. For a new campaign or a direct issue, use the `currencies` of the provider in `/Game/List`.',
  ),
  game_without_free_bets: help(
    'A game in `games` has no `FreeBet` in its `promoTypes`.',
    'Remove the game that `details` shows.',
  ),
  invalid_validity: help(
    '`valid_until` is in the past or not after `valid_from`, or the job would start after its free bets have ended.',
    'Correct the times. They are in UTC, and the clock of the service decides.',
  ),
  game_not_available: help(
    'A game in `games` does not exist or is not offered to the partner.',
    'Use the IDs that `/Game/List` returns. Ask your account manager if a game is missing.',
  ),
  not_signed_in: help('There is no session, or it has expired.', 'Sign in to the console again.'),
  sign_in_failed: help(
    'The e-mail address, the password or the code is wrong, or there were too many attempts.',
    'Check them and wait a few minutes. An admin can send a new invitation.',
  ),
  code_needed: help('The account has a second factor.', 'Send the code of the authenticator app too.'),
  sso_failed: help('The single sign-on was not completed, or took too long.', 'Start the sign-in again.'),
  sso_refused: help('The identity provider refused the sign-in.', 'Ask the administrator of the identity provider.'),
  sso_unknown: help(
    'The identity provider knows the person, but they have no access to this service.',
    'Ask an admin of the service for an invitation.',
  ),
  forbidden: help(
    'The signature is missing or wrong, the time is off, the caller is unknown or disabled, or the address is not allowed. The response never shows which.',
    'Follow the [list of checks](../partners/authentication.md#fix-a-403).',
  ),
  not_allowed: help(
    "Your role doesn't allow this operation or this partner.",
    'Ask an admin for the role. [Roles](../console/roles.md) lists what each may do.',
  ),
  wrong_origin: help(
    'The `Origin` header is missing, or differs from the origin of the console.',
    "Use the console at the server's `PUBLIC_URL`. Staff operations can't be called from other sites.",
  ),
  another_signed_in: help('Another person has since signed in to this browser.', 'Reload the page.'),
  second_factor_needed: help(
    'The service requires a second factor, and your account has none.',
    'Set up a second factor in the console.',
  ),
  unknown_operation: help(
    'No operation has this path. A trailing slash also causes this error.',
    'Check the path and the base address, which ends in `/v3`.',
  ),
  free_bet_not_found: help(
    'You have no free bet with this `issue_id`. For a game provider, it may belong to another player or cover none of your games.',
    'Check the `issue_id`, the partner and the player.',
  ),
  bet_not_found: help(
    'The game provider has placed no bet with this `bet_id`.',
    'Check the `bet_id`. If you got no response to the bet, repeat the bet or roll it back.',
  ),
  campaign_not_found: help('The partner has no campaign with this `campaign_id`.', 'Check the `campaign_id`.'),
  job_not_found: help(
    "The partner has no job with this `job_id`. Jobs that you don't start are removed after seven days.",
    'Check the `job_id`, or create the job again under another ID.',
  ),
  partner_not_found: help('There is no partner with this ID, or it is outside your scope.', 'Check the ID.'),
  provider_not_found: help('There is no game provider with this ID.', 'Check the ID.'),
  staff_not_found: help('There is no such staff member, or they are outside your scope.', 'Reload the list.'),
  session_not_found: help('The session has already ended.', 'Reload the list of sessions.'),
  invitation_not_valid: help(
    'The invitation was used, replaced by a newer one, or has expired.',
    'Ask an admin for a new invitation.',
  ),
  webhook_not_found: help('The partner has no webhook.', 'Set one first.'),
  draft_not_found: help('There is no draft with this ID, or it is outside your scope.', 'Reload the list of drafts.'),
  confirmation_not_found: help('There is no request for confirmation with this ID.', 'Reload the list of requests.'),
  method_not_allowed: help('The operation was called with GET or another method.', 'Use `POST`.'),
  body_too_large: help('The body is larger than 1 MiB.', 'Send fewer items per request.'),
  not_json: help(
    'The `Content-Type` is not `application/json`, or the request has a `Content-Encoding`.',
    "Send `Content-Type: application/json`, and don't compress the body.",
  ),
  id_reused: help(
    'The `issue_id`, `campaign_id`, `job_id`, part or `bet_id` was used before with other content.',
    'Use a new ID for a new request. To repeat a request, send exactly the same content. [Rules](../partners/retries.md#which-ids-make-a-request-repeatable)',
  ),
  free_bet_expired: help(
    '`expires_at` has passed.',
    "An expired free bet can't be used or cancelled. Issue a new one if the player should get another.",
  ),
  free_bet_not_started: help('`valid_from` is in the future.', 'Wait until `valid_from`.'),
  free_bet_used_up: help(
    'All bets of the free bet have been placed.',
    'Let the player bet with money, or use another free bet.',
  ),
  free_bet_cancelled: help('The partner has cancelled the free bet.', "Don't offer the free bet any more."),
  coefficient_out_of_range: help(
    'The odds are below the minimum or above the maximum of the free bet, or the settlement has different odds than the bet.',
    'Stay within the limits in `config`; `details` shows the limit. Settle a bet with its own odds.',
  ),
  game_not_covered: help(
    "The game is not one of the free bet's games, or it belongs to another provider.",
    'Use one of the `games` of the free bet.',
  ),
  free_bet_already_used: help(
    'At least one bet was placed with the free bet, so it can no longer be cancelled.',
    'Let it expire, or stop the campaign to prevent further issues.',
  ),
  bet_already_settled: help(
    'The bet is already won or lost, which is final.',
    "Don't repeat it. Read the bet with `/Rounds/Get`.",
  ),
  bet_rolled_back: help(
    'The bet was rolled back, possibly before it arrived.',
    "Don't repeat it. Place a new bet with a new `bet_id`.",
  ),
  campaign_ended: help('`valid_until` of the campaign has passed.', 'Create a new campaign.'),
  campaign_stopped: help('The campaign was stopped, which is final.', 'Create a new campaign.'),
  campaign_paused: help('The campaign is paused.', 'Resume it, or try again later.'),
  bonus_limit_reached: help(
    'The campaign has reached its campaign cap.',
    'Raise the cap with `/FreeBets/Campaign/Limits`, or stop issuing. Cancelled free bets no longer count toward the cap.',
  ),
  bonus_limit_per_user_reached: help(
    'The player has already received as many free bets as the per-player cap allows.',
    "Don't issue to this player again, or raise the cap.",
  ),
  job_started: help(
    'The job was started or stopped, so you can no longer add parts.',
    'Create another job for the remaining items.',
  ),
  job_incomplete: help(
    'The number of parts or items in the start request differs from the number that you added.',
    'Send the missing parts that `details` lists, then start again.',
  ),
  feed_changed: help(
    'The database of the service was restored from a backup, so your cursor is no longer valid.',
    '[Recover](../partners/events.md#recover-after-a-restore): reconcile, then start over.',
  ),
  events_removed: help(
    'Your cursor is older than the retention period, so events after it have been removed.',
    '[Recover](../partners/events.md#recover-after-a-restore): reconcile, then start from `oldest_sequence`.',
  ),
  job_quota_reached: help(
    'You have too many unfinished jobs, or their lists are too large.',
    'Wait until a job has finished, or stop one.',
  ),
  not_a_sandbox: help('The operation is only for sandbox partners.', 'Use a sandbox partner.'),
  already_exists: help(
    'The ID or address is already in use.',
    'Use the existing one, which `details` shows, or another ID.',
  ),
  last_admin: help(
    'Without this admin, the service would have no admin who can sign in.',
    'Make another person an admin first.',
  ),
  approval_needed: help(
    'Changes that can cost money need four-eyes approval.',
    'Save a draft and submit it. [Approvals](../console/approvals.md)',
  ),
  own_draft: help('You submitted this draft yourself.', 'Ask a colleague who can approve drafts.'),
  draft_changed: help('The draft was edited after you opened it.', 'Reload it and check it again.'),
  limits_pending: help(
    'The campaign already has a change of its limits that is waiting for approval.',
    'Approve, reject or withdraw that draft first; `details` has its ID.',
  ),
  draft_not_open: help(
    'The draft was approved, rejected or withdrawn, has expired, or is not submitted yet.',
    'Reload it; `details` has its state.',
  ),
  own_account: help("You can't do this to your own account.", 'Ask another admin.'),
  catalogue_changed: help('The game catalogue was changed after the comparison.', 'Compare again, then import.'),
  secret_not_readable: help(
    'The secret in use was encrypted with another `SECRETS_KEY`.',
    'Configure the service with that key. If the key is lost, rotate the secret with `--lost-key`. [Keys](../operate/keys.md)',
  ),
  secrets_changed: help('The secrets of this caller were changed after you opened the page.', 'Reload the page.'),
  changed_meanwhile: help('The object was changed after you read it.', 'Read it again, then repeat your change.'),
  not_author: help('Only the author of a draft can do this.', 'Ask the author, or write your own draft.'),
  author_not_allowed: help(
    'The author of the draft no longer has the role or scope to submit it.',
    'Ask a colleague who has the role to write the draft again.',
  ),
  confirmation_needed: help(
    'A second admin must confirm this change. The request is stored.',
    'Ask another admin to confirm it, then send it again.',
  ),
  own_confirmation: help('You made this request yourself.', 'Ask another admin to confirm it.'),
  confirmation_not_open: help(
    'The request was already confirmed, rejected or used, or has expired.',
    'Make the request again; `details` has its state.',
  ),
  requester_not_allowed: help(
    'The requester no longer has the rights for this change.',
    'Ask an admin who has the rights to make the request.',
  ),
  too_many_requests: help(
    'You exceeded a [rate limit](limits.md#rates). The request had no effect.',
    'Wait for `Retry-After`, then repeat the request. Use batches or jobs for many free bets.',
  ),
  internal_error: help(
    'The service has a fault. The request may have taken effect.',
    'Repeat it a few times with the same ID. If it persists, report the `request_id`.',
  ),
  unavailable: help(
    "The service is overloaded or can't reach its database. In rare cases, the request took effect.",
    'Wait for `Retry-After`, then repeat the same request. [Retries](../partners/retries.md)',
  ),
  sso_unavailable: help(
    'The identity provider cannot be reached, or single sign-on is not set up.',
    'Try again later, or sign in with a password if you have one.',
  ),
};

/** The body of docs/reference/errors.md: one heading per error, so that each has its name as an anchor. */
export function errorReference(): string {
  const names = Object.keys(errors) as ErrorName[];
  const isCalled = (name: ErrorName) => commonErrors.includes(name) || operationsWith(name).length > 0;
  const [calls, console] = [names.filter(isCalled), names.filter((name) => !isCalled(name))];
  return [
    '## Errors of partners and game providers\n\n',
    ...calls.map(errorEntry),
    '## Errors of the console\n\n',
    'Only staff operations return these.\n\n',
    ...console.map(errorEntry),
  ].join('');
}

const operationsWith = (name: ErrorName): string[] =>
  Object.values<Operation>(operations)
    .filter((operation) => operation.errors.includes(name))
    .map(({ path }) => `\`${path}\``);

function errorEntry(name: ErrorName): string {
  const { status, code, message } = errors[name];
  const { cause, fix } = errorHelp[name];
  const paths = commonErrors.includes(name) ? 'every operation' : operationsWith(name).join(', ');
  const lines = [
    `HTTP ${status} · code ${code} · “${message}”`,
    `- **Cause**: ${cause}\n- **Fix**: ${fix}${paths === '' ? '' : `\n- **Returned by**: ${paths}`}`,
  ];
  return `### \`${name}\`\n\n${lines.join('\n\n')}\n\n`;
}
