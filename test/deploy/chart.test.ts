import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { deployFiles, pathOf, read, run, without } from './tools.ts';

// Checks the values of the chart against their schema, and its templates against its values. Renders them if Helm is installed.

const chart = 'deploy/helm/freebets';
const values = parse(read(`${chart}/values.yaml`));
const templates = deployFiles.filter((path) => path.startsWith(`${chart}/templates/`));
const check = new Ajv().compile(JSON.parse(read(`${chart}/values.schema.json`)));

test('the values match their schema', () => {
  assert.ok(check(values), JSON.stringify(check.errors));
});

/** Merges like Helm: objects by key, everything else is replaced. */
function merged(base: unknown, change: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(base) || !isObject(change)) return change;
  const entries = Object.entries(change).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(entries) };
}

test('the values in the docs match the schema', () => {
  const blocks = [...read('docs/operate/kubernetes.md').matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    ([, yaml = '']) => yaml,
  );
  assert.equal(blocks.length, 2);
  let all: unknown = values;
  for (const block of blocks) {
    all = merged(all, parse(block));
    assert.ok(check(all), `${block}\n${JSON.stringify(check.errors)}`);
  }
});

test('the migration job can have another database user than the servers', () => {
  const owner = { name: 'freebets-owner', key: 'DATABASE_URL' };
  assert.ok(
    check({ ...values, secrets: { ...values.secrets, migrationDatabaseUrl: owner } }),
    JSON.stringify(check.errors),
  );
  const job = read(`${chart}/templates/migrate-job.yaml`);
  assert.match(job, /toYaml \(\.Values\.secrets\.migrationDatabaseUrl \| default \.Values\.secrets\.databaseUrl\)/);
  assert.doesNotMatch(job, /include "freebets\.env"/, 'it has the URL of the servers');
});

test('the schema refuses secrets, unknown names and settings that the chart sets', () => {
  const refuses = (change: object) => assert.ok(!check({ ...values, ...change }), JSON.stringify(change));
  refuses({ settings: { DATABASE_URL: 'postgres://u:p@db/freebets' } });
  refuses({ settings: { SECRETS_KEY: 'x' } });
  refuses({ settings: { INTERNAL_PORT: '9000' } });
  refuses({ settings: { DRAIN_MS: 10_000_000 } });
  refuses({ secrets: { ...values.secrets, secretsKey: { name: 'freebets' } } });
  refuses({ secrets: { ...values.secrets, migrationDatabaseUrl: { name: 'owner' } } });
  refuses({ autoscalling: { enabled: true } });
  refuses({ replicas: 0 });
});

test('with an ingress, the schema requires its proxies and its controller', () => {
  const { controller } = values.ingress;
  const takes = (ingress: object, settings: object) => check({ ...values, ingress, settings });
  const proxies = { TRUSTED_PROXIES: '10.0.0.0/8' };
  assert.ok(takes({ enabled: true, controller }, proxies), JSON.stringify(check.errors));
  assert.ok(takes({ enabled: false }, {}));
  assert.ok(!takes({ enabled: true, controller }, {}));
  assert.ok(!takes({ enabled: true, controller }, { TRUSTED_PROXIES: '' }));
  assert.ok(!takes({ enabled: true }, proxies));
  assert.ok(!takes({ enabled: true, controller: [] }, proxies), 'without peers the policy admits no pod');
  assert.ok(!takes({ enabled: true, controller: [{}] }, proxies), 'an empty peer admits every pod');
  const { settings: _, ...without } = values;
  assert.ok(!check({ ...without, ingress: { enabled: true, controller } }));
});

test('a service with callers outside the cluster requires a network policy that admits them', () => {
  const takes = (type: string, policy: object) =>
    check({
      ...values,
      service: { ...values.service, type },
      networkPolicy: { ...values.networkPolicy, ...policy },
    });
  const callers = [{ ipBlock: { cidr: '0.0.0.0/0' } }];
  assert.ok(takes('ClusterIP', {}));
  for (const type of ['NodePort', 'LoadBalancer']) {
    assert.ok(!takes(type, {}), type);
    assert.ok(takes(type, { callers }), JSON.stringify(check.errors));
    assert.ok(takes(type, { enabled: false }), JSON.stringify(check.errors));
  }
});

test('the network policy admits the ingress controller to the API only', () => {
  const policy = read(`${chart}/templates/network-policy.yaml`);
  const [, rule = ''] = /\{\{- if \$\.Values\.ingress\.enabled \}\}\n(.*?)\{\{- end \}\}/s.exec(policy) ?? [];
  const rendered = rule.replace(/\{\{- toYaml \$\.Values\.ingress\.controller \| nindent 8 \}\}/, '[controller]');
  assert.deepEqual(parse(rendered), [{ ports: [{ port: 'http' }], from: ['controller'] }]);
});

/** The literal paths under .Values that a template reads. */
const valuesRead = (text: string) => [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path]) => path as string);

const has = (within: unknown, path: string[]): boolean => {
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (typeof within !== 'object' || within === null) return false;
  // An empty object can have any keys.
  if (Object.keys(within).length === 0) return true;
  return Object.hasOwn(within, first) && has((within as Record<string, unknown>)[first], rest);
};

test('templates read existing values only, and read every value', () => {
  const used = templates.flatMap((path) => valuesRead(read(path)));
  assert.ok(used.length > 20);
  for (const path of used) assert.ok(has(values, path.split('.')), path);
  for (const name of Object.keys(values))
    assert.ok(
      used.some((path) => path.split('.')[0] === name),
      name,
    );
});

test('templates close every block and include defined templates only', () => {
  const defined = new Set<string>();
  const included = new Set<string>();
  for (const path of templates) {
    const actions = [...read(path).matchAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs)].map(([, action]) => action as string);
    let open = 0;
    for (const action of actions) {
      open += Number(/^(if|with|range|define)\b/.test(action)) - Number(/^end\b/.test(action));
      assert.ok(open >= 0, `${path}: ${action}`);
      for (const [, name] of action.matchAll(/\binclude "([^"]+)"/g)) included.add(name as string);
      for (const [, name] of action.matchAll(/^define "([^"]+)"/g)) defined.add(name as string);
    }
    assert.equal(open, 0, path);
  }
  assert.deepEqual([...included].sort(), [...defined].sort());
});

test('Helm accepts the chart, and the migration job runs before the servers', { skip: without('helm') }, () => {
  const linted = run('helm', ['lint', '--strict', pathOf(chart)]);
  assert.equal(linted.code, 0, linted.output);
  const owner = ['secrets.migrationDatabaseUrl.name=owner', 'secrets.migrationDatabaseUrl.key=URL'];
  const everything = [
    'ingress.enabled=true',
    'settings.TRUSTED_PROXIES=10.0.0.1',
    'serviceMonitor.enabled=true',
    'autoscaling.enabled=false',
    ...owner,
  ];
  for (const set of [[], everything.flatMap((each) => ['--set', each])]) {
    const { code, output } = run('helm', ['template', 'prod', pathOf(chart), ...set]);
    assert.equal(code, 0, output);
    const objects = parseAllDocuments(output).map((document) => document.toJS());
    const kinds = objects.map(({ kind }) => kind);
    for (const kind of ['Deployment', 'Service', 'Job', 'PodDisruptionBudget', 'NetworkPolicy']) {
      assert.ok(kinds.includes(kind), kind);
    }
    const callers = objects.find(({ kind }) => kind === 'NetworkPolicy').spec.ingress;
    const isLetIn = JSON.stringify(callers).includes(JSON.stringify(values.ingress.controller));
    assert.equal(isLetIn, set.length > 0);
    const job = objects.find(({ kind }) => kind === 'Job');
    assert.equal(job.metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade');
    const [url] = job.spec.template.spec.containers[0].env;
    const from = set.length > 0 ? { name: 'owner', key: 'URL' } : values.secrets.databaseUrl;
    assert.deepEqual(url, { name: 'DATABASE_URL', valueFrom: { secretKeyRef: from } });
  }
});
