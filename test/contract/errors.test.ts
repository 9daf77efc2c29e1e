import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commonErrors,
  type ErrorName,
  errorBody,
  errors,
  itemError,
  operations,
  type StaffOperation,
  staffOperations,
} from '@freebets/contract';

// A second copy of the table that callers rely on, so that no number changes by accident.
const table: [status: number, code: number, error: string][] = [
  [400, 400, 'invalid_request'],
  [400, 154, 'currency_not_allowed'],
  [400, 601, 'game_without_free_bets'],
  [400, 603, 'invalid_validity'],
  [400, 608, 'game_not_available'],
  [403, 403, 'forbidden'],
  [404, 404, 'unknown_operation'],
  [404, 610, 'free_bet_not_found'],
  [404, 621, 'bet_not_found'],
  [404, 630, 'campaign_not_found'],
  [404, 640, 'job_not_found'],
  [405, 405, 'method_not_allowed'],
  [413, 413, 'body_too_large'],
  [415, 415, 'not_json'],
  [409, 409, 'id_reused'],
  [409, 611, 'free_bet_expired'],
  [409, 612, 'free_bet_not_started'],
  [409, 613, 'free_bet_used_up'],
  [409, 614, 'free_bet_cancelled'],
  [409, 615, 'coefficient_out_of_range'],
  [409, 616, 'game_not_covered'],
  [409, 620, 'free_bet_already_used'],
  [409, 622, 'bet_already_settled'],
  [409, 623, 'bet_rolled_back'],
  [409, 632, 'campaign_ended'],
  [409, 633, 'campaign_stopped'],
  [409, 634, 'campaign_paused'],
  [409, 635, 'bonus_limit_reached'],
  [409, 636, 'bonus_limit_per_user_reached'],
  [409, 641, 'job_started'],
  [409, 642, 'job_incomplete'],
  [409, 643, 'feed_changed'],
  [409, 644, 'events_removed'],
  [409, 647, 'job_quota_reached'],
  [409, 650, 'not_a_sandbox'],
  [401, 401, 'not_signed_in'],
  [401, 660, 'sign_in_failed'],
  [401, 661, 'code_needed'],
  [401, 663, 'sso_failed'],
  [401, 664, 'sso_refused'],
  [401, 665, 'sso_unknown'],
  [403, 651, 'not_allowed'],
  [403, 652, 'wrong_origin'],
  [403, 653, 'another_signed_in'],
  [403, 662, 'second_factor_needed'],
  [404, 670, 'partner_not_found'],
  [404, 671, 'provider_not_found'],
  [404, 672, 'staff_not_found'],
  [404, 673, 'session_not_found'],
  [404, 674, 'invitation_not_valid'],
  [404, 675, 'webhook_not_found'],
  [404, 676, 'draft_not_found'],
  [409, 680, 'already_exists'],
  [409, 681, 'last_admin'],
  [409, 698, 'limits_pending'],
  [409, 682, 'approval_needed'],
  [409, 683, 'own_draft'],
  [409, 684, 'draft_changed'],
  [409, 685, 'draft_not_open'],
  [409, 689, 'own_account'],
  [409, 686, 'catalogue_changed'],
  [409, 687, 'secret_not_readable'],
  [409, 692, 'secrets_changed'],
  [409, 693, 'changed_meanwhile'],
  [409, 690, 'not_author'],
  [409, 691, 'author_not_allowed'],
  [404, 677, 'confirmation_not_found'],
  [409, 694, 'confirmation_needed'],
  [409, 695, 'own_confirmation'],
  [409, 696, 'confirmation_not_open'],
  [409, 697, 'requester_not_allowed'],
  [503, 666, 'sso_unavailable'],
  [429, 429, 'too_many_requests'],
  [500, 500, 'internal_error'],
  [503, 503, 'unavailable'],
];

test('every error has the status and the number of the contract, and there are no others', () => {
  const rows = Object.entries(errors).map(([error, { status, code }]) => [status, code, error]);
  const byName = (a: unknown[], b: unknown[]) => (String(a[2]) < String(b[2]) ? -1 : 1);
  assert.deepEqual(rows.toSorted(byName), table.toSorted(byName));
});

test('every error has its own number, and every message is a sentence', () => {
  const codes = Object.values(errors).map(({ code }) => code);
  assert.equal(new Set(codes).size, codes.length);
  for (const { message } of Object.values(errors)) assert.match(message, /^[A-Z][^\n]{10,}\.$/);
});

test('a body holds the number, the word, the sentence, the details if there are any, the id of the request, and the address of its documentation', () => {
  const { message } = errors.campaign_ended;
  const plain = { code: 632, error: 'campaign_ended', message };
  assert.deepEqual(errorBody({ error: 'campaign_ended' }, 'id-1', 'https://x.example'), {
    ...plain,
    request_id: 'id-1',
    doc_url: 'https://x.example/docs/reference/errors#campaign_ended',
  });
  assert.deepEqual(itemError({ error: 'campaign_ended' }), plain);
  const details = [{ field: 'games[1]', reason: 'is not offered to you' }];
  assert.deepEqual(itemError({ error: 'campaign_ended', details }), { ...plain, details });
});

test('every error of an operation is one of the table, named once', () => {
  const all: Pick<StaffOperation, 'path' | 'errors'>[] = [
    ...Object.values(operations),
    ...Object.values(staffOperations),
  ];
  for (const operation of all) {
    const named: ErrorName[] = [...commonErrors, ...operation.errors];
    assert.equal(new Set(named).size, named.length, operation.path);
    for (const error of named) assert.ok(error in errors);
  }
});
