import type { ErrorBody, ItemError } from './formats.ts';

// The table of errors: the server names a row, and this table has its status, code and message. It imports only types,
// so that commands can use it without loading the schemas.

interface ErrorRow {
  status: number;
  code: number;
  message: string;
}

const row = (status: number, code: number, message: string): ErrorRow => ({ status, code, message });

export const errors = {
  invalid_request: row(400, 400, 'The request is not valid; details list every invalid field.'),
  currency_not_allowed: row(400, 154, 'The currency is not available here.'),
  game_without_free_bets: row(400, 601, 'A listed game does not support free bets.'),
  invalid_validity: row(400, 603, 'The validity period is not valid.'),
  game_not_available: row(400, 608, 'A listed game is not available to this partner.'),
  not_signed_in: row(401, 401, 'Sign in first. Sessions end after some time without use.'),
  sign_in_failed: row(
    401,
    660,
    'The e-mail address, the password or the code is wrong, or there were too many attempts.',
  ),
  code_needed: row(401, 661, 'The code of the second factor is required too.'),
  sso_failed: row(401, 663, 'The single sign-on failed or took too long: start again.'),
  sso_refused: row(401, 664, 'The single sign-on provider refused the sign-in.'),
  sso_unknown: row(401, 665, 'You have no account here: ask an admin for an invitation.'),
  forbidden: row(403, 403, 'The caller or the signature is not valid.'),
  not_allowed: row(403, 651, 'Your role does not allow this.'),
  wrong_origin: row(403, 652, 'The request does not come from a page of the console.'),
  another_signed_in: row(403, 653, 'Another user is signed in now: reload the page.'),
  second_factor_needed: row(403, 662, 'Set up a second factor for your account first.'),
  unknown_operation: row(404, 404, 'There is no such operation.'),
  free_bet_not_found: row(404, 610, 'There is no such free bet.'),
  bet_not_found: row(404, 621, 'There is no such bet.'),
  campaign_not_found: row(404, 630, 'There is no such campaign.'),
  job_not_found: row(404, 640, 'There is no such job.'),
  partner_not_found: row(404, 670, 'There is no such partner.'),
  provider_not_found: row(404, 671, 'There is no such provider.'),
  staff_not_found: row(404, 672, 'There is no such staff member.'),
  session_not_found: row(404, 673, 'There is no such session.'),
  invitation_not_valid: row(404, 674, 'The invitation is not valid: it was used, replaced, or has expired.'),
  webhook_not_found: row(404, 675, 'The partner has no webhook.'),
  draft_not_found: row(404, 676, 'There is no such draft.'),
  confirmation_not_found: row(404, 677, 'There is no such request for confirmation.'),
  method_not_allowed: row(405, 405, 'Operations are called with POST.'),
  body_too_large: row(413, 413, 'The body is larger than 1 MiB.'),
  not_json: row(415, 415, 'The content type must be application/json, without content encoding.'),
  id_reused: row(409, 409, 'This id was used before with other content.'),
  free_bet_expired: row(409, 611, 'The free bet has expired.'),
  free_bet_not_started: row(409, 612, 'The free bet is not valid yet.'),
  free_bet_used_up: row(409, 613, 'Every bet of the free bet has been used.'),
  free_bet_cancelled: row(409, 614, 'The free bet was cancelled.'),
  coefficient_out_of_range: row(
    409,
    615,
    'The coefficient is outside the limits of the free bet, or differs from the odds of the bet.',
  ),
  game_not_covered: row(409, 616, 'The free bet does not cover this game.'),
  free_bet_already_used: row(409, 620, 'The free bet has been used and cannot be cancelled.'),
  bet_already_settled: row(409, 622, 'The bet has been settled.'),
  bet_rolled_back: row(409, 623, 'The bet was rolled back.'),
  campaign_ended: row(409, 632, 'The campaign has ended.'),
  campaign_stopped: row(409, 633, 'The campaign was stopped.'),
  campaign_paused: row(409, 634, 'The campaign is paused.'),
  bonus_limit_reached: row(409, 635, 'The campaign has issued all its free bets.'),
  bonus_limit_per_user_reached: row(
    409,
    636,
    'The player has all the free bets that this campaign allows for one player.',
  ),
  job_started: row(409, 641, 'You cannot add parts to this job: it was started or stopped.'),
  job_incomplete: row(
    409,
    642,
    'The number of parts or items differs from the number added; details show the difference.',
  ),
  feed_changed: row(
    409,
    643,
    'Your cursor is not in this feed: the database was restored. Reconcile your data, then start over.',
  ),
  events_removed: row(
    409,
    644,
    'Events after your cursor were removed. Reconcile your data, then start over from the oldest event.',
  ),
  job_quota_reached: row(
    409,
    647,
    'Your unfinished jobs have reached a quota; details show the quota, its limit and its use.',
  ),
  not_a_sandbox: row(409, 650, 'This partner is not a sandbox.'),
  already_exists: row(409, 680, 'This already exists; see details.'),
  last_admin: row(409, 681, 'This is the last admin who can sign in.'),
  approval_needed: row(409, 682, 'Changes of this kind need approval. Save a draft and submit it.'),
  own_draft: row(409, 683, 'You cannot approve your own draft.'),
  draft_changed: row(409, 684, 'The draft has changed since you read it.'),
  limits_pending: row(
    409,
    698,
    'The campaign already has a change of its limits that is waiting for approval; details show the draft.',
  ),
  draft_not_open: row(409, 685, 'The state of the draft does not allow this; details show the state.'),
  own_account: row(409, 689, 'You cannot do this to your own account: ask another admin.'),
  catalogue_changed: row(409, 686, 'The catalogue has changed since the comparison: compare again.'),
  secret_not_readable: row(
    409,
    687,
    'The secret in use cannot be decrypted with the key of this service. If the key is lost, use ' +
      'rotate-secret --lost-key.',
  ),
  secrets_changed: row(409, 692, 'The secrets have changed since you read them: read them again.'),
  changed_meanwhile: row(409, 693, 'The values have changed since you read them: read them again.'),
  not_author: row(409, 690, 'Only the author can do this to a draft.'),
  author_not_allowed: row(409, 691, 'The author can no longer submit drafts for this partner.'),
  confirmation_needed: row(
    409,
    694,
    'Another admin must confirm this. The request is pending; send it again once it is confirmed.',
  ),
  own_confirmation: row(409, 695, 'You cannot confirm your own request.'),
  confirmation_not_open: row(409, 696, 'The state of the request does not allow this; details show the state.'),
  requester_not_allowed: row(409, 697, 'The requester no longer has the rights for this.'),
  too_many_requests: row(429, 429, 'Too many requests; try again after the time in Retry-After.'),
  internal_error: row(500, 500, 'Something went wrong on our side.'),
  unavailable: row(503, 503, 'The service cannot process this request now; send the same request again.'),
  sso_unavailable: row(503, 666, 'Single sign-on is not available now: try again later.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorName = keyof typeof errors;

export interface FieldError {
  field: string;
  reason: string;
  /** A value for programs to use. */
  value?: string;
}

/** An expected refusal, which rules return instead of throwing. */
export interface Refusal {
  error: ErrorName;
  details?: FieldError[];
}

export function itemError({ error, details }: Refusal): ItemError {
  const { code, message } = errors[error];
  return { code, error, message, ...(details && { details }) };
}

export const errorBody = (refusal: Refusal, requestId: string, publicUrl: string): ErrorBody => ({
  ...itemError(refusal),
  request_id: requestId,
  doc_url: `${publicUrl}/docs/reference/errors#${refusal.error}`,
});
