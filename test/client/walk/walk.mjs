import { readFileSync } from 'node:fs';
import { env } from 'node:process';
import { FreebetsError, Partner, Provider, signerOf, verifyWebhook, WebhookError } from '@freebets/client';

// The walk of the JavaScript client; walk.py and walk.php are those of the others. It makes the calls of a partner and a
// provider through a proxy that loses responses, then runs the vectors, and prints the results.

const { SERVER, ERRORS, ANSWERS, VECTORS } = env;
const caller = { baseUrl: SERVER, clientId: 1, secret: 'demo-partner-secret' };
const partner = new Partner(caller);
const provider = new Provider({ baseUrl: SERVER, providerId: 'lantern-quay', secret: 'demo-provider-secret-1' });
// Without jitter the pauses have no length.
Math.random = () => 0;
const read = (name) => JSON.parse(readFileSync(`${VECTORS}/${name}`, 'utf8'));

async function failureOf(call) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof FreebetsError)) throw error;
    return error;
  }
  throw new Error('it has succeeded');
}

const refused = async (call) => {
  const { name, code, isRetryable } = await failureOf(call);
  return [name, code, isRetryable];
};

async function all(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

async function walk() {
  const found = {};
  const before = await all(partner.events({ follow: false }));
  const after = before.at(-1);
  const { providers } = await partner.games.list();
  found.providers = providers.map(({ name }) => name);
  const game = 'lantern-skyline-ascent';
  const { campaign_id } = await partner.campaigns.create({
    name: 'Прогулка 🎲',
    quantity: 2,
    valid_from: '2026-01-01T00:00:00Z',
    valid_until: '2100-01-01T00:00:00Z',
    games: [game],
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
  });
  const issue = { campaign_id, player_id: `walker-${campaign_id}`, currency: 'EUR' };
  const { issue_id, status, remaining } = await partner.freeBets.issue(issue);
  found.issued = [status, remaining];
  const again = await partner.freeBets.issue({ ...issue, issue_id });
  found.again = again.issue_id === issue_id;
  found.reused = await refused(partner.freeBets.issue({ ...issue, issue_id, player_id: 'another' }));
  found.otherPartner = await refused(partner.freeBets.issue({ ...issue, client_id: 2 }));
  const { results } = await partner.freeBets.issueBatch({ items: [issue, { ...issue, currency: 'XYZ' }] });
  found.batch = results.map((result) => result.error?.error ?? result.status);

  const where = { client_id: 1, player_id: issue.player_id, game_id: game };
  const { free_bets } = await provider.rounds.available({ ...where, currency: 'EUR' });
  found.available = free_bets.length;
  const bet = { client_id: 1, bet_id: crypto.randomUUID() };
  await provider.rounds.bet({ ...where, ...bet, issue_id });
  const settled = await provider.rounds.settle({ ...bet, result: 'won', coefficient: '2.35' });
  found.won = settled.win_amount;
  const back = { client_id: 1, bet_id: crypto.randomUUID() };
  await provider.rounds.bet({ ...where, ...back, issue_id });
  found.rolledBack = await provider.rounds.rollback(back);
  const { bets } = await partner.freeBets.get({ issue_id });
  found.bets = bets.map((one) => one.status);
  found.cancelled = await refused(partner.freeBets.cancel({ issue_id }));
  found.listed = (await all(partner.freeBets.list({ player_id: issue.player_id, limit: 1 }))).length;

  const job_id = crypto.randomUUID();
  const players = Array.from({ length: 7 }, (_, i) => ({
    player_id: `player-${i}`,
    currency: i === 3 ? 'XYZ' : 'EUR',
  }));
  await partner.jobs.run(players, { job_id, name: 'A walk', campaign_id });
  const job = await partner.jobs.wait({ job_id });
  found.job = [job.status, job.items, job.issued, job.refused];
  const many = Array.from({ length: 5001 }, (_, i) => ({ ...players[0], ...(i === 5000 && { currency: 'eur' }) }));
  const wrong = await failureOf(partner.jobs.run(many, { name: 'Wrong', campaign_id }));
  found.wrongItem = wrong.details.map(({ field }) => field);
  found.refusals = (await all(partner.jobs.refusals({ job_id }))).map(({ item, error }) => [item, error.error]);

  found.strict = (await new Partner({ ...caller, signing: 'strict' }).campaigns.get({ campaign_id })).status;
  found.forbidden = await refused(new Partner({ ...caller, secret: 'wrong' }).games.list());
  found.invalid = (await failureOf(partner.freeBets.issue({ ...issue, currency: 'eur' }))).details;
  const events = await all(partner.events({ after, follow: false }));
  found.events = events.map(({ type }) => type);
  for (const without of [after?.sequence, after && { sequence: after.sequence, event_id: null }]) {
    const same = await all(partner.events({ after: without, follow: false }));
    if (JSON.stringify(same) !== JSON.stringify(events)) throw new Error('a cursor without an id');
  }
  const thrown = [];
  const restored = { sequence: events[0].sequence, event_id: crypto.randomUUID() };
  const error = await failureOf(partner.events({ after: restored, onError: (each) => thrown.push(each) }).next());
  const isLast = error.details[0].value === String(events.at(-1).sequence);
  found.restored = [error.name, error.code, error.isRetryable, isLast, thrown.length];
  return found;
}

async function vectors() {
  const signatures = read('signatures.json').vectors;
  for (const { name, secret, body, body_base64, time, path, signature } of signatures) {
    const bytes = body === undefined ? Buffer.from(body_base64, 'base64') : Buffer.from(body);
    const prefix = Buffer.from(time === undefined ? '' : `${time}\n${path}\n`);
    if ((await signerOf(secret)(Buffer.concat([prefix, bytes]))) !== signature) throw new Error(name);
  }
  const webhooks = read('webhooks.json').vectors;
  for (const { name, secrets, headers, body, result, ...one } of webhooks) {
    const given = { path: one.path, toleranceS: one.tolerance_s, allowUntimed: one.allow_untimed };
    const came = await verifyWebhook(body, headers, secrets, { nowMs: one.now * 1000, ...given }).then(
      () => 'genuine',
      (error) => (error instanceof WebhookError ? error.reason : String(error)),
    );
    if (came !== result) throw new Error(`${name}: ${came}`);
  }
  const errors = read('errors.json').vectors;
  for (const [i, { name, result }] of errors.entries()) {
    const error = await failureOf(new Partner({ ...caller, baseUrl: `${ERRORS}/${i}`, maxRetries: 0 }).games.list());
    const { status, code = null, details, requestId = null, retryAfterMs, isRetryable } = error;
    const retry_after_s = retryAfterMs === undefined ? null : retryAfterMs / 1000;
    const is = {
      error: error.name,
      status,
      code,
      details,
      request_id: requestId,
      retry_after_s,
      retryable: isRetryable,
    };
    if (JSON.stringify(is) !== JSON.stringify(result)) throw new Error(`${name}: ${JSON.stringify(is)}`);
  }
  const called = (path) => new Partner({ ...caller, baseUrl: `${ERRORS}/${path}`, maxRetries: 0 });
  const other = await failureOf(called('other').freeBets.issue({}));
  if (other.name !== 'no_answer') throw new Error(`no HTTP: ${other.name}`);
  if (!/request, which has the ids\.$/.test(other.message)) throw new Error(other.message);
  const ofJob = await failureOf(called('other').jobs.run([{ player_id: 'x' }], { name: 'A job' }));
  for (const { request } of [other, ofJob]) {
    if (!/^[0-9a-f-]{36}$/.test(request.issue_id ?? request.job_id)) throw new Error('a generated id is missing');
  }
  if ((await failureOf(called('other').freeBets.issue(other.request))).request)
    throw new Error('an id of the caller is repeated');
  const failures = [];
  for (const answers of JSON.parse(ANSWERS)) {
    const { freeBets, jobs } = new Partner({
      ...caller,
      baseUrl: `${ERRORS}/${answers}`,
      maxRetries: answers.split(',').length - 1,
    });
    const isJob = answers.startsWith('open');
    const call = isJob ? jobs.run([{ player_id: 'x' }], { name: 'A job' }) : freeBets.issue({});
    const { name, mayHaveHappened, message } = await failureOf(call);
    failures.push([name, mayHaveHappened, /request, which has the ids\.$/.test(message)]);
  }
  const halting = new Partner({ ...caller, baseUrl: `${ERRORS}/batch`, maxRetries: 2 });
  const items = ['later', 'taken', 'never', 'later'].map((player_id) => ({ player_id }));
  const resultOf = ({ player_id, error, came }) => [player_id, error?.error ?? null, came];
  const batch = (await halting.freeBets.issueBatch({ items })).results.map(resultOf);
  const issue_ids = ['later', 'taken'].map((player) => `${player} ${crypto.randomUUID()}`);
  const cancels = (await halting.freeBets.cancelBatch({ issue_ids })).results.map(resultOf);
  return { batch, cancels, failures, signatures: signatures.length, webhooks: webhooks.length, errors: errors.length };
}

console.log(JSON.stringify({ walk: await walk(), vectors: await vectors() }));
