import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type OperationName,
  operations,
  type StaffOperationName,
  staffOperations,
  uuidPattern,
} from '@freebets/contract';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { inEuro } from '../../support/drafts.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { campaign, directIssue, games, job, jobItems } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { type Staff, session, signedIn, staffCall } from '../../support/staff.ts';

// A UUID names the same thing in upper and in lower case, in every operation that takes one.

type Name = OperationName | StaffOperationName;

const { env, sql } = await testDatabase();
const on = { ...env, WORKER: 'off', STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:1000' };
const { url } = await testServer(on);
const { url: urlConfirming } = await testServer({ ...on, STAFF_CONFIRMATION: 'on' });
const manager = await signedIn(sql, 'manager');
const approver = await signedIn(sql, 'manager');
const [admin, otherAdmin] = [await signedIn(sql, 'admin'), await signedIn(sql, 'admin')];

const uuids = new RegExp(uuidPattern.slice(1, -1), 'g');
const upper = (body: object): object => JSON.parse(JSON.stringify(body).replace(uuids, (id) => id.toUpperCase()));

async function send(name: Name, body: object, who: Staff, at: string) {
  if (name in staffOperations) {
    const row = staffOperations[name as StaffOperationName];
    const partner = 'client_id' in row.request.properties ? { client_id: 1 } : {};
    const reason = 'changes' in row && row.changes ? { reason: 'For this test' } : {};
    return staffCall(at, row.path, { ...partner, ...reason, ...body }, who);
  }
  const operation = name as OperationName;
  if (operations[operation].caller === 'client_id') return call(at, operation, body);
  return callAs(lantern, at, operation, body);
}

const tried = new Set<Name>();

/** With the ids of the request in upper case. They name something, and the response has them in lower case. */
async function inUpper(name: Name, body: object, who = manager, at = url) {
  tried.add(name);
  const { status, body: answer } = await send(name, upper(body), who, at);
  assert.doesNotMatch(String(answer.error), /_not_found|invalid_request/, `${name}: ${JSON.stringify(answer)}`);
  for (const [id] of JSON.stringify(answer).matchAll(uuids)) assert.equal(id, id.toLowerCase(), name);
  return { status, answer: withoutRequestId(answer) };
}

/** For a request that gives the same response when it is repeated. */
async function alike(name: Name, body: object, who = manager) {
  const first = await inUpper(name, body, who);
  const { status, body: answer } = await send(name, body, who, url);
  assert.deepEqual({ status, answer: withoutRequestId(answer) }, first, name);
  return first.answer;
}

const withoutRequestId = ({ request_id: _, ...rest }: Record<string, unknown>) => rest;

const accepted = async (name: Name, body: object, who = manager) => {
  const { status, body: answer } = await send(name, body, who, url);
  assert.equal(status, 200, `${name}: ${JSON.stringify(answer)}`);
  return answer;
};

await accepted('CampaignCreate', campaign({ campaign_id: 'Spring' }));

test('free bets', async () => {
  const [issue_id, batched] = [randomUUID(), randomUUID()];
  await alike('Issue', directIssue({ issue_id }));
  await alike('IssueBatch', { items: [directIssue({ issue_id: batched }), { issue_id: randomUUID() }] });
  await alike('FreeBetGet', { issue_id });
  await alike('FreeBetStories', { issue_ids: [issue_id, batched] });
  await alike('Cancel', { issue_id });
  const cancelled = await alike('CancelBatch', { issue_ids: [batched, randomUUID()] });
  assert.match(JSON.stringify(cancelled), /"free_bet_not_found"/);
});

test('rounds', async () => {
  const { issue_id } = await accepted('Issue', directIssue());
  const [bet_id, rolledBack] = [randomUUID(), randomUUID()];
  const bet = { issue_id, player_id: 'player-1', game_id: games.one };
  await alike('RoundsBet', { ...bet, bet_id });
  await alike('RoundsGet', { bet_id });
  await alike('RoundsSettle', { bet_id, result: 'lost' });
  await accepted('RoundsBet', { ...bet, bet_id: rolledBack });
  await alike('RoundsRollback', { bet_id: rolledBack });
  const { status } = await inUpper('SandboxRound', { issue_id, result: 'lost' });
  assert.equal(status, 200);
});

test('jobs', async () => {
  const body = job('Spring');
  const { job_id } = body;
  await alike('JobCreate', body);
  const items = jobItems(2).map((item) => ({ ...item, issue_id: randomUUID() }));
  await alike('JobAdd', { job_id, part: 1, items });
  await alike('JobGet', { job_id });
  await alike('JobRefusals', { job_id });
  await alike('JobRetry', { job_id });
  await alike('JobStart', { job_id, parts: 1, items: 2 });
  await alike('JobStop', { job_id });
});

test('events', async () => {
  const { events } = await accepted('EventsList', { limit: 1 });
  const [{ sequence: after, event_id, data }] = events;
  await alike('EventsList', { after, after_event_id: event_id, limit: 5 });
  const { events: found } = (await alike('EventSearch', { event_id })) as { events: object[] };
  assert.deepEqual(found, events, JSON.stringify(data));
});

test('drafts', async () => {
  const save = async () => {
    const draft_id = randomUUID();
    const { revision } = (await alike('DraftSave', { draft_id, kind: 'campaign', content: inEuro(1001) })) as {
      revision: number;
    };
    return { draft_id, revision };
  };
  const [approved, refused] = [await save(), await save()];
  await alike('DraftGet', { draft_id: approved.draft_id });
  await alike('DraftCopy', { draft_id: randomUUID(), campaign_id: 'Spring' });
  for (const draft of [approved, refused]) {
    assert.equal((await inUpper('DraftSubmit', draft)).status, 200);
  }
  assert.equal((await inUpper('DraftApprove', approved, approver)).status, 200);
  assert.equal((await inUpper('DraftRefuse', refused, approver)).status, 200);
  assert.equal((await inUpper('DraftDiscard', { draft_id: refused.draft_id })).status, 200);
});

test('the job of a draft', async () => {
  const body = job('Spring');
  await accepted('JobCreate', body);
  await accepted('JobAdd', { job_id: body.job_id, part: 1, items: jobItems(1) });
  const content = { job_id: body.job_id.toUpperCase(), parts: 1, items: 1 };
  const draft = await accepted('DraftSave', { kind: 'job', content });
  assert.deepEqual([draft.target_id, draft.problems], [body.job_id, []]);
});

test('staff and their sessions', async () => {
  const { staffId: staff_id } = await signedIn(sql, 'viewer');
  const them = { staff_id };
  await alike('StaffGet', them, admin);
  const { sessions } = (await alike('StaffSessions', them, admin)) as { sessions: { session_id: string }[] };
  const ended = await inUpper('StaffEndSessions', { ...them, session_id: sessions[0]?.session_id }, admin);
  assert.deepEqual(ended.answer, { ended: 1 });
  await alike('StaffUpdate', { ...them, name: 'Another name' }, admin);
  await alike('StaffDisable', them, admin);
  await alike('StaffEnable', them, admin);
  await alike('StaffResetSecondFactor', them, admin);
  await session(sql, manager.staffId);
  const own: { sessions: { session_id: string; current: boolean }[] } = await accepted('SessionList', {});
  const session_id = own.sessions.find(({ current }) => !current)?.session_id;
  assert.deepEqual((await inUpper('SessionEnd', { session_id })).answer, { ended: 1 });
});

test('confirmations', async () => {
  const pending = async () => {
    const { staffId } = await signedIn(sql, 'viewer');
    const request = { staff_id: staffId, role: 'manager' };
    const { answer } = await inUpper('StaffUpdate', request, admin, urlConfirming);
    const repeated = await send('StaffUpdate', request, admin, urlConfirming);
    assert.deepEqual(withoutRequestId(repeated.body), answer, 'it is the same request');
    const [detail] = answer.details as { field: string; reason: string }[];
    assert.equal(detail?.field, 'confirmation_id');
    return { confirmation_id: detail?.reason };
  };
  for (const [name, who] of [
    ['ConfirmationConfirm', otherAdmin],
    ['ConfirmationRefuse', otherAdmin],
    ['ConfirmationWithdraw', admin],
  ] as const) {
    assert.equal((await inUpper(name, await pending(), who, urlConfirming)).status, 200, name);
  }
});

test('an unknown id is refused alike in both cases', async () => {
  const id = randomUUID();
  for (const [name, body] of [
    ['FreeBetGet', { issue_id: id }],
    ['JobGet', { job_id: id }],
    ['RoundsGet', { bet_id: id }],
    ['DraftGet', { draft_id: id }],
  ] as [Name, object][]) {
    const [{ body: one }, { body: other }] = [
      await send(name, upper(body), manager, url),
      await send(name, body, manager, url),
    ];
    assert.match(one.error, /_not_found$/);
    assert.deepEqual(withoutRequestId(one), withoutRequestId(other));
  }
});

test('an id of a campaign is text, and keeps its case', async () => {
  const campaign_id = randomUUID();
  await accepted('CampaignCreate', campaign({ campaign_id: campaign_id.toUpperCase() }));
  assert.equal(
    (await accepted('CampaignGet', { campaign_id: campaign_id.toUpperCase() })).campaign_id,
    campaign_id.toUpperCase(),
  );
  assert.equal((await send('CampaignGet', { campaign_id }, manager, url)).body.error, 'campaign_not_found');
});

test('no operation with a UUID in its request is left out', () => {
  const withId = Object.entries({ ...operations, ...staffOperations })
    .filter(([, { request }]) => JSON.stringify(request).includes(JSON.stringify(uuidPattern)))
    .map(([name]) => name);
  assert.deepEqual([...tried].toSorted(), withId.toSorted());
});
