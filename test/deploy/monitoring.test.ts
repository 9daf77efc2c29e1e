import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { parse } from 'yaml';
import { accepted } from '../support/answers.ts';
import { call, demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { freshMetrics } from '../support/metrics.ts';
import { callAs, lantern } from '../support/provider.ts';
import { directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { pathOf, read, run, without } from './tools.ts';

// Alert rules and dashboard use metrics that the servers export, and the alerts fire when they should.

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

const rules: Rule[] = parse(read('deploy/monitoring/rules.yaml')).groups[0].rules;
const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'));
const queries: string[] = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
];
const metricsIn = (expression: string) => expression.match(/\b(freebets|nodejs|process)_[a-z0-9_]+/g) ?? [];

const { env } = await testDatabase();
const { url, internalUrl = '' } = await testServer({ ...env, INTERNAL_PORT: '0' });

test('metrics count free bets, bets and winnings of partners, refused batch items and the state of the server', async () => {
  const before = await freshMetrics(internalUrl);
  assert.match(before, /^freebets_build_info\{version="[\d.]+",node="26\.[\d.]+"\} 1$/m);
  const issue_id = randomUUID();
  accepted('Issue', await call(url, 'Issue', directIssue({ issue_id, quantity: 2 }), demo));
  const [game_id = ''] = directIssue({}).games as string[];
  const bet = {
    client_id: demo.clientId,
    bet_id: randomUUID(),
    issue_id,
    player_id: directIssue({}).player_id,
    game_id,
  };
  const placed = await callAs(lantern, url, 'RoundsBet', bet);
  assert.equal(placed.status, 200, placed.text);
  const settled = await callAs(lantern, url, 'RoundsSettle', {
    client_id: demo.clientId,
    bet_id: bet.bet_id,
    result: 'won',
    coefficient: '3.50',
  });
  assert.equal(settled.status, 200, settled.text);
  const cancelled = await call(url, 'CancelBatch', { issue_ids: [randomUUID(), randomUUID()] }, demo);
  assert.equal(cancelled.status, 200, cancelled.text);
  const text = await freshMetrics(internalUrl);
  const hasLine = (line: string) => assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  hasLine('freebets_issued_total{client_id="1"} 1');
  hasLine('freebets_bets_total{client_id="1",result="placed"} 1');
  hasLine('freebets_bets_total{client_id="1",result="won"} 1');
  hasLine(`freebets_won_total{client_id="1",currency="EUR"} ${Number(settled.body.win_amount)}`);
  hasLine('freebets_batch_items_refused_total{operation="CancelBatch",error="free_bet_not_found"} 2');
  hasLine('freebets_pool_waiting{pool="reads"} 0');
  const gauge = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  assert.equal(gauge('freebets_lane_oldest_seconds'), 0);
  assert.ok(gauge('freebets_sweeper_lag_seconds') < 30, 'expired free bets are recorded');
});

test('the server exports every metric that a rule or a panel uses', async () => {
  const text = await freshMetrics(internalUrl);
  const exported = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', kind]) =>
      kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
  const names = queries.flatMap(metricsIn);
  assert.ok(names.length > 30);
  for (const name of names) assert.ok(exported.has(name), name);
});

test('every alert has a runbook, and every panel has a query', () => {
  const guide = read('docs/operate/alerts.md');
  for (const { alert, annotations } of rules) {
    assert.match(guide, new RegExp(`^## ${alert}$`, 'm'));
    assert.equal(annotations.runbook, `docs/operate/alerts.md#${alert.toLowerCase()}`);
  }
  for (const { title, targets } of dashboard.panels) assert.ok(targets.length > 0, title);
});

test('promtool accepts the rules, and their tests pass', { skip: without('promtool') }, () => {
  const checked = run('promtool', ['check', 'rules', pathOf('deploy/monitoring/rules.yaml')]);
  assert.equal(checked.code, 0, checked.output);
  const tested = run('promtool', ['test', 'rules', pathOf('test/deploy/rules.yaml')]);
  assert.equal(tested.code, 0, tested.output);
});
