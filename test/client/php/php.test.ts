import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commonErrors, errors, operations } from '@freebets/contract';
import { root } from '../../docs/markdown.ts';
import { phpFiles } from '../../docs/php-client.ts';
import { drop, faultyServer, ok, page, type Reply, refusal, stall, stallInBody } from '../faulty-server.ts';

// The Composer package of the PHP client: its files, its exceptions, and how it sends requests. The walk tests its calls.

const isInstalled = spawnSync('php', ['--version']).status === 0;
const skip = !isInstalled && 'php is not installed';

const packageFolder = `${root}clients/php/`;
const files = globSync('**/*.php', { cwd: packageFolder });

/** Runs statements that set `$result`, and returns its value. */
async function php(statements: string, env: Record<string, string> = {}, options: string[] = []): Promise<unknown> {
  const code = `
    use Freebets\\{CallOptions, Client, ErrorName, Partner, Result};
    use Freebets\\Exception\\{ConnectionException, FreebetsException, TimeoutException};
    use Freebets\\Http\\{CurlTransport, StreamTransport};
    set_error_handler(fn ($level, $warning) => (error_reporting() & $level) !== 0 && exit("$warning\\n"));
    require '${packageFolder}autoload.php';
    require '${fileURLToPath(new URL('psr.php', import.meta.url))}';
    function failureOf(callable $call): FreebetsException {
        try { $call(); } catch (FreebetsException $exception) { return $exception; }
        exit('the call succeeded');
    }
    function client(mixed ...$options): Partner {
        return new Partner(getenv('SERVER'), 1, 'the-secret', ...$options);
    }
    ${statements}
    echo json_encode($result, JSON_THROW_ON_ERROR);`;
  const child = spawn('php', [...options, '-d', 'display_errors=stderr', '-r', code], {
    env: { PATH: process.env.PATH, ...env },
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  assert.equal(complaint, '');
  try {
    return JSON.parse(printed);
  } catch {
    return assert.fail(printed);
  }
}

const games = ok({ providers: [], image_assets: {} });

/** Responds, and leaves the connection open even if the request asks to close it. */
const keepOpen: Reply = (response) => {
  const body = '{"providers":[],"image_assets":{}}';
  response.socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
};

test('every file is valid PHP', { skip }, () => {
  const input = files.map((file) => `${packageFolder}${file}\n`).join('');
  const { status, stdout } = spawnSync('xargs', ['-n', '1', '-P', '2', 'php', '-n', '-l'], { input });
  assert.equal(status, 0, `${stdout}`);
  assert.equal(`${stdout}`.match(/^No syntax errors/gm)?.length, files.length);
});

test('the autoloader finds a class in every file', { skip }, async () => {
  const names = files
    .filter((file) => file.startsWith('src/'))
    .map((file) => `Freebets\\${file.slice('src/'.length, -'.php'.length).replaceAll('/', '\\')}`);
  const missing = await php(
    `$exists = fn ($name) => class_exists($name) || interface_exists($name) || trait_exists($name);
    $result = array_values(array_filter(json_decode(getenv('NAMES')), fn ($name) => !$exists($name)));`,
    { NAMES: JSON.stringify(names) },
  );
  assert.deepEqual(missing, []);
});

test('the generated files are those of the contract', () => {
  const generated = files.filter((file) => readFileSync(packageFolder + file, 'utf8').includes('\n// Generated from'));
  assert.deepEqual(
    generated.map((file) => `clients/php/${file}`).toSorted(),
    phpFiles.map(({ file }) => file).toSorted(),
  );
});

test('every service of the contract belongs to a client', { skip }, async () => {
  const properties = await php(`
    foreach ([Partner::class, Freebets\\Provider::class] as $class) {
        foreach ((new ReflectionClass($class))->getProperties() as $property) {
            $result[] = basename(strtr((string) $property->getType(), '\\\\', '/')) . '.php';
        }
    }`);
  const services = phpFiles.map(({ file }) => basename(file)).filter((name) => name.endsWith('Service.php'));
  assert.deepEqual((properties as string[]).toSorted(), services.toSorted());
});

test('composer.json has the version and the folder of the classes', { skip }, async () => {
  const { version, autoload } = JSON.parse(readFileSync(`${packageFolder}composer.json`, 'utf8'));
  assert.equal(await php('$result = Client::VERSION;'), version);
  assert.deepEqual(autoload, { 'psr-4': { 'Freebets\\': 'src/' } });
});

const exceptions: Record<number, string> = {
  400: 'Validation',
  401: 'Authentication',
  403: 'Authentication',
  404: 'NotFound',
  405: 'Validation',
  409: 'Conflict',
  413: 'Validation',
  415: 'Validation',
  429: 'RateLimit',
  500: 'Server',
  503: 'Server',
};

test('every error has a constant and an exception of its own', { skip }, async () => {
  const wanted = [...new Set([...commonErrors, ...Object.values(operations).flatMap((each) => [...each.errors])])];
  const found = await php(
    `$known = (new ReflectionClass(ErrorName::class))->getConstants();
    $result = [];
    foreach (json_decode(getenv('ERRORS'), true) as $name => ['status' => $status]) {
        $result[$name] = [in_array($name, $known, true), FreebetsException::classFor($name, $status)];
    }`,
    { ERRORS: JSON.stringify(errors) },
  );
  const classOf = (status: number) => `Freebets\\Exception\\${exceptions[status]}Exception`;
  for (const [name, { status }] of Object.entries(errors)) {
    assert.equal((found as Record<string, [boolean, string]>)[name]?.[1], classOf(status), name);
  }
  for (const name of wanted) assert.ok((found as Record<string, [boolean, string]>)[name]?.[0], name);
});

for (const transport of ['CurlTransport', 'StreamTransport']) {
  const options = `transport: new ${transport}()`;

  test(`${transport}: a call is sent three times, or as often as its options say`, { skip }, async () => {
    const { url, received } = await faultyServer(drop);
    const counts = await php(
      `$partner = client(${options});
      foreach ([null, new CallOptions(maxRetries: 0), new CallOptions(maxRetries: 1)] as $each) {
          $result[] = get_class(failureOf(fn () => $partner->games->list([], $each)));
      }`,
      { SERVER: url },
    );
    assert.deepEqual(counts, Array(3).fill('Freebets\\Exception\\ConnectionException'));
    assert.equal(received.length, 3 + 1 + 2);
  });

  test(`${transport}: a response that does not arrive or end is a timeout`, { skip }, async () => {
    for (const reply of [stall, stallInBody]) {
      const { url, received } = await faultyServer(reply);
      const result = await php(
        `$exception = failureOf(fn () => client(${options}, attemptTimeoutS: 0.2, maxRetries: 1)->games->list());
        $startS = microtime(true);
        failureOf(fn () => client(${options}, deadlineS: 0.4, maxRetries: 9)->games->list());
        $result = [$exception instanceof TimeoutException, $exception->mayHaveHappened, microtime(true) - $startS < 5];`,
        { SERVER: url },
      );
      assert.deepEqual(result, [true, true, true]);
      assert.ok(received.length >= 3, `${received.length}`);
    }
  });

  test(`${transport}: a timeout may be infinite, and a server may keep its connection open`, { skip }, async () => {
    const { url } = await faultyServer(keepOpen);
    for (const seconds of ['INF', '1e9', '5']) {
      const result = await php(
        `$partner = client(${options}, attemptTimeoutS: ${seconds}, deadlineS: ${seconds}, maxRetries: 0);
        $result = isset($partner->games->list()->providers);`,
        { SERVER: url },
      );
      assert.equal(result, true, seconds);
    }
  });

  test(`${transport}: a redirect is not followed`, { skip }, async () => {
    const target = await faultyServer(games);
    const { url, received } = await faultyServer(page(307, { location: `${target.url}/v3/Game/List` }));
    const result = await php(`$result = get_class(failureOf(fn () => client(${options})->games->list()));`, {
      SERVER: url,
    });
    assert.equal(result, 'Freebets\\Exception\\UnexpectedResponseException');
    assert.deepEqual([received.length, target.received.length], [1, 0]);
  });
}

test('curl does not repeat a call without an id over a connection that was closed', { skip }, async () => {
  const { url, received } = await faultyServer(games, drop);
  const result = await php(
    `$partner = client();
    $partner->games->list();
    $exception = failureOf(fn () => $partner->campaigns->pause(['campaign_id' => 'one']));
    $result = $exception->mayHaveHappened;`,
    { SERVER: url },
  );
  assert.deepEqual([result, received.length], [true, 2]);
});

test('a call sends the versions and an id, and its result has the id of the response', { skip }, async () => {
  const { url, received } = await faultyServer((response) => {
    response.setHeader('x-request-id', 'request-1');
    return games(response);
  });
  const call = `$partner = client(signing: 'strict', appInfo: 'shop/2.1');
    $games = $partner->games->list([], new CallOptions(requestId: 'mine-1'));
    $result = [$games->requestId, isset($games->providers), isset($games['other']), count($games)];`;
  assert.deepEqual(await php(call, { SERVER: url }), ['request-1', true, false, 2]);
  assert.deepEqual(await php(call, { SERVER: url }, ['-n']), ['request-1', true, false, 2]);
  const [curl, streams] = received.map(({ headers }) => headers);
  assert.match(String(curl?.['user-agent']), /^freebets-php\/[\d.]+ php\/\S+ curl\/\S+ shop\/2\.1$/);
  assert.match(String(streams?.['user-agent']), /^freebets-php\/[\d.]+ php\/\S+ streams shop\/2\.1$/);
  assert.equal(curl?.['x-request-id'], 'mine-1');
  assert.match(String(curl?.['x-request-time']), /^\d+$/);
});

test('an exception has all that the service says', { skip }, async () => {
  const docUrl = 'https://freebets.example.com/docs/reference/errors#id_reused';
  const body = { code: 409, error: 'id_reused', message: 'Used.', request_id: 'request-2', doc_url: docUrl };
  const { url } = await faultyServer((response) => response.writeHead(409).end(JSON.stringify(body)));
  const result = await php(
    `$e = failureOf(fn () => client()->freeBets->issue([]));
    $result = [$e->code, $e->getCode(), $e->error, $e->status, $e->requestId, $e->docUrl, $e->getMessage()];`,
    { SERVER: url },
  );
  assert.deepEqual(result, [409, 409, 'id_reused', 409, 'request-2', docUrl, 'id_reused: Used.']);
});

test('a logger gets every attempt, without secrets and bodies', { skip }, async () => {
  const { url, received } = await faultyServer(refusal({ error: 'unavailable' }), games);
  const run = (logger: string, lines: string) =>
    php(
      `$lines = [];
      $logger = ${logger};
      client(logger: $logger)->games->list(['note' => 'a-note']);
      $result = ${lines};`,
      { SERVER: url },
    ) as Promise<[level: string, message: string, context: Record<string, unknown>][]>;
  const lines = await run('new PsrLogger()', '$logger->lines');
  assert.deepEqual(
    lines.map(([level, message, { path, status }]) => [level, message, path, status]),
    [
      ['warning', 'Freebets responded', '/Game/List', 503],
      ['info', 'Freebets retries a call', '/Game/List', undefined],
      ['debug', 'Freebets responded', '/Game/List', 200],
    ],
  );
  const signature = String(received[0]?.headers['x-request-sign']);
  for (const secret of ['the-secret', 'a-note', signature]) assert.ok(!JSON.stringify(lines).includes(secret), secret);
  const last = await run('function (...$line) use (&$lines) { $lines[] = $line; }', '$lines');
  assert.deepEqual(
    last.map(([level]) => level),
    ['debug'],
  );
});

test('no dump of a client has its secret', { skip }, async () => {
  const result = await php(
    `$partner = client();
    ob_start();
    var_dump($partner);
    $dumps = [ob_get_clean(), print_r($partner, true), var_export($partner, true), json_encode((array) $partner)];
    try {
        $dumps[] = serialize($partner);
    } catch (Exception) {
    }
    $result = array_values(array_filter($dumps, fn ($dump) => str_contains($dump, 'the-secret')));`,
    { SERVER: 'http://127.0.0.1:1' },
  );
  assert.deepEqual(result, []);
});

test('a result is read-only and refuses unknown fields', { skip }, async () => {
  const result = await php(`
    $free = new Freebets\\Model\\IssueResponse(['issue_id' => 'one', 'campaign_id' => null], 'request-3');
    $result = [$free->issue_id, $free['campaign_id'], $free->dry_run, $free->toArray(), json_encode(new Result([]))];
    foreach ([fn () => $free->issue, fn () => $free['issue'], function () use ($free) { $free['x'] = 1; }] as $wrong) {
        try {
            $wrong();
        } catch (OutOfBoundsException | LogicException $exception) {
            $result[] = get_class($exception);
        }
    }`);
  const fields = { issue_id: 'one', campaign_id: null };
  const refused = ['OutOfBoundsException', 'OutOfBoundsException', 'LogicException'];
  assert.deepEqual(result, ['one', null, null, fields, '{}', ...refused]);
});

test('the items of a batch may be a collection, and each gets an id', { skip }, async () => {
  const { url, received } = await faultyServer(ok({ results: [{}, {}] }));
  const sent = await php(
    `$items = new ArrayIterator(['a' => ['player_id' => 'one'], 'b' => ['player_id' => 'two', 'issue_id' => 'mine']]);
    client()->freeBets->issueBatch(['items' => $items]);
    $result = null;`,
    { SERVER: url },
  );
  assert.equal(sent, null);
  const { items } = JSON.parse(String(received[0]?.body));
  assert.match(items[0].issue_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(items[1], { player_id: 'two', issue_id: 'mine' });
});

test('objects among the items of a batch get ids too, and keep them in a retry', { skip }, async () => {
  const { url, received } = await faultyServer(drop, ok({ results: [{}, {}, {}] }));
  await php(
    `$items = [
        (object) ['player_id' => 'one', 'config' => new stdClass()],
        new ArrayObject(['player_id' => 'two']),
        (object) ['player_id' => 'three', 'issue_id' => null],
    ];
    $list = new class ($items) implements JsonSerializable {
        public function __construct(private array $items) {}
        public function jsonSerialize(): array { return $this->items; }
    };
    client()->freeBets->issueBatch(['items' => $items]);
    client()->freeBets->issueBatch(['items' => $list]);
    $result = null;`,
    { SERVER: url },
  );
  assert.equal(received.length, 3);
  assert.equal(String(received[0]?.body), String(received[1]?.body));
  for (const { body } of received.slice(1)) {
    const [one, two, three] = JSON.parse(String(body)).items;
    assert.deepEqual([one.player_id, one.config, two.player_id], ['one', {}, 'two']);
    for (const { issue_id: id } of [one, two]) assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(three, { player_id: 'three', issue_id: null });
  }
});

test('a logger that fails does not fail the call', { skip }, async () => {
  const { url } = await faultyServer(games);
  const result = await php(
    `ini_set('error_log', '/dev/null');
    $games = client(logger: fn () => throw new LogicException('The disk is full.'))->games->list();
    $result = isset($games->providers);`,
    { SERVER: url },
  );
  assert.equal(result, true);
});

test('wrong options are refused', { skip }, async () => {
  const result = await php(
    `foreach ([
        fn () => client(signing: 'both'),
        fn () => client(maxRetries: -1),
        fn () => client(deadlineS: 0),
        fn () => client(deadlineS: NAN),
        fn () => client(appInfo: "a\\r\\nb"),
        fn () => new CallOptions(requestId: "a\\r\\nb"),
    ] as $wrong) {
        try {
            $wrong();
        } catch (InvalidArgumentException $exception) {
            $result[] = strtok($exception->getMessage(), ' ');
        }
    }`,
    { SERVER: 'http://127.0.0.1:1' },
  );
  assert.deepEqual(result, ['signing', 'maxRetries', 'deadlineS', 'deadlineS', 'appInfo', 'requestId']);
});
