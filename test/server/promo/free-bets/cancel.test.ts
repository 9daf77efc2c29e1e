import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const noon = '2027-06-01T12:00:00.000Z';
beforeEach(() => setClock(sql, noon));

async function issue(changes: object = {}): Promise<string> {
  const body = directIssue({ valid_until: later(noon, 60_000), ...changes });
  return accepted('Issue', await call(url, 'Issue', body)).issue_id;
}

const cancel = (issue_id: string) => call(url, 'Cancel', { issue_id });
const read = async (issue_id: string) => accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));

test('an active free bet can be cancelled, and is otherwise as it was', async () => {
  const issueId = await issue();
  const before = await read(issueId);
  assert.deepEqual(accepted('Cancel', await cancel(issueId)), {});
  assert.deepEqual(await read(issueId), { ...before, status: 'cancelled' });
});

test('a free bet that has not begun can be cancelled', async () => {
  const issueId = await issue({ valid_from: later(noon, 30_000) });
  assert.equal((await read(issueId)).status, 'issued');
  accepted('Cancel', await cancel(issueId));
  assert.equal((await read(issueId)).status, 'cancelled');
});

test('cancelling again answers {} again, even after it would have expired', async () => {
  const issueId = await issue();
  accepted('Cancel', await cancel(issueId));
  assert.deepEqual(accepted('Cancel', await cancel(issueId)), {});
  await setClock(sql, later(noon, 60_000));
  assert.deepEqual(accepted('Cancel', await cancel(issueId)), {});
  assert.equal((await read(issueId)).status, 'cancelled');
});

test('the id may come in upper case', async () => {
  const issueId = await issue({ issue_id: 'abcdefab-cdef-4bcd-8fab-abcdefabcdef' });
  accepted('Cancel', await cancel(issueId.toUpperCase()));
  assert.equal((await read(issueId)).status, 'cancelled');
});

test('at expires_at itself it is too late, a millisecond before it is not', async () => {
  const [inTime, late] = [await issue(), await issue()];
  await setClock(sql, later(noon, 59_999));
  accepted('Cancel', await cancel(inTime));
  await setClock(sql, later(noon, 60_000));
  refused('free_bet_expired', await cancel(late));
  assert.equal((await read(late)).status, 'expired');
});

test('a free bet that is not there cannot be cancelled', async () => {
  refused('free_bet_not_found', await cancel(randomUUID()));
});

test('a free bet of a campaign that has been stopped or has ended can still be cancelled while it lasts', async () => {
  const terms = { campaign_id: 'stopped', valid_from: noon, valid_until: later(noon, 60_000) };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(terms)));
  const item = { campaign_id: 'stopped', player_id: 'someone', currency: 'EUR' };
  const { issue_id } = accepted('Issue', await call(url, 'Issue', item));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'stopped' }));
  accepted('Cancel', await cancel(issue_id));
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'stopped' }));
  assert.deepEqual([counts.issued, counts.cancelled], [1, 1]);
});

test('many cancels of one free bet at the same moment give its place back once', async () => {
  const terms = {
    campaign_id: 'at-once',
    valid_from: noon,
    valid_until: later(noon, 60_000),
    config: { bonus_limit: 1 },
  };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(terms)));
  const item = { campaign_id: 'at-once', player_id: 'someone', currency: 'EUR' };
  const { issue_id } = accepted('Issue', await call(url, 'Issue', item));
  const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(issue_id)));
  for (const answer of answers) assert.deepEqual(accepted('Cancel', answer), {});
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: 'at-once' }));
  assert.equal(counts.cancelled, 1);
});

test('details list every invalid field', async () => {
  refused('invalid_request', await call(url, 'Cancel', {}), ['issue_id']);
  refused('invalid_request', await call(url, 'Cancel', { issue_id: 'no-uuid', reason: 'x' }), ['issue_id', 'reason']);
});
