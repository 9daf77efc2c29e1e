<?php

// The walk of the PHP client, like walk.mjs for JavaScript. It prints the results.

declare(strict_types=1);

require getenv('CLIENT');
require __DIR__ . '/../php/psr.php';

use Freebets\Exception\FreebetsException;
use Freebets\Exception\WebhookException;
use Freebets\Http\CurlTransport;
use Freebets\Http\Psr18Transport;
use Freebets\Http\StreamTransport;
use Freebets\Http\Transport;
use Freebets\Partner;
use Freebets\Provider;
use Freebets\Service\JobParts;
use Freebets\Signature;
use Freebets\Uuid;
use Freebets\Webhook;

// Every pause is the longest that it may be, is kept, and takes a hundredth of its time. The clock is set an hour on whenever it is read.
eval('namespace Freebets;
function microtime(bool $isFloat): float { static $hours = 0; return \microtime(true) + 3600 * $hours++; }
function random_int(int $least, int $most): int { return $most; }
function usleep(int $us): void { $GLOBALS["pauses"][] = $us / 1e6; \usleep(intdiv($us, 100)); }');

// A warning of PHP would fill the log of a user.
set_error_handler(fn (int $level, string $warning) => (error_reporting() & $level) !== 0 && must(false, $warning));

function transport(): Transport
{
    $factory = new PsrFactory();
    return match (getenv('TRANSPORT')) {
        'curl' => new CurlTransport(),
        'streams' => new StreamTransport(),
        'psr-18' => new Psr18Transport(new PsrClient(), $factory, $factory),
    };
}

function partner(string $address, string $secret, string $signing = 'plain', int $maxRetries = 2): Partner
{
    return new Partner($address, 1, $secret, $signing, $maxRetries, transport: transport());
}

$server = getenv('SERVER');
$secret = 'demo-partner-secret';
$partner = partner($server, $secret);
$provider = new Provider($server, 'lantern-quay', 'demo-provider-secret-1', transport: transport());

function read(string $name): array
{
    return json_decode(file_get_contents(getenv('VECTORS') . "/$name"), true, 512, JSON_THROW_ON_ERROR);
}

function must(bool $isRight, string $what): void
{
    if (!$isRight) {
        fwrite(STDERR, "$what\n");
        exit(1);
    }
}

function failureOf(callable $call): FreebetsException
{
    try {
        $call();
    } catch (FreebetsException $error) {
        return $error;
    }
    throw new LogicException('it has succeeded');
}

function refused(callable $call): array
{
    $error = failureOf($call);
    return [$error->error, $error->code, $error->isRetryable()];
}

function walk(string $server, string $secret, Partner $partner, Provider $provider): array
{
    $found = [];
    $before = iterator_to_array($partner->events->iterate(follow: false), false);
    $after = $before === [] ? 0 : end($before);
    $found['providers'] = array_column($partner->games->list()['providers'], 'name');
    $game = 'lantern-skyline-ascent';
    $campaignId = $partner->campaigns->create([
        'name' => 'Прогулка 🎲',
        'quantity' => 2,
        'valid_from' => '2026-01-01T00:00:00Z',
        'valid_until' => '2100-01-01T00:00:00Z',
        'games' => [$game],
        'bet_amounts' => [['currency' => 'EUR', 'amount' => '1.00']],
    ])['campaign_id'];
    $issue = ['campaign_id' => $campaignId, 'player_id' => "walker-$campaignId", 'currency' => 'EUR'];
    $issued = $partner->freeBets->issue($issue);
    $key = ['issue_id' => $issued['issue_id']];
    $found['issued'] = [$issued['status'], $issued['remaining']];
    $found['again'] = $partner->freeBets->issue($issue + $key)['issue_id'] === $issued['issue_id'];
    $found['reused'] = refused(fn () => $partner->freeBets->issue([...$issue, ...$key, 'player_id' => 'another']));
    $found['otherPartner'] = refused(fn () => $partner->freeBets->issue($issue + ['client_id' => 2]));
    $batch = $partner->freeBets->issueBatch(['items' => [$issue, [...$issue, 'currency' => 'XYZ']]]);
    $found['batch'] = array_map(fn ($one) => $one['error']['error'] ?? $one['status'], $batch['results']);

    $where = ['client_id' => 1, 'player_id' => $issue['player_id'], 'game_id' => $game];
    $found['available'] = count($provider->rounds->available($where + ['currency' => 'EUR'])['free_bets']);
    $bet = ['client_id' => 1, 'bet_id' => Uuid::v4()];
    $provider->rounds->bet([...$where, ...$bet, ...$key]);
    $settled = $provider->rounds->settle($bet + ['result' => 'won', 'coefficient' => '2.35']);
    $found['won'] = $settled['win_amount'];
    $back = ['client_id' => 1, 'bet_id' => Uuid::v4()];
    $provider->rounds->bet([...$where, ...$back, ...$key]);
    $found['rolledBack'] = $provider->rounds->rollback($back);
    $found['bets'] = array_column($partner->freeBets->get($key)['bets'], 'status');
    $found['cancelled'] = refused(fn () => $partner->freeBets->cancel($key));
    $listed = $partner->freeBets->list(['player_id' => $issue['player_id'], 'limit' => 1]);
    $found['listed'] = iterator_count($listed);

    $jobKey = ['job_id' => Uuid::v4()];
    $players = (function () {
        for ($i = 0; $i < 7; $i++) {
            yield ['player_id' => "player-$i", 'currency' => $i === 3 ? 'XYZ' : 'EUR'];
        }
    })();
    $partner->jobs->run($players, $jobKey + ['name' => 'A walk', 'campaign_id' => $campaignId]);
    $job = $partner->jobs->wait($jobKey['job_id']);
    $found['job'] = [$job['status'], $job['items'], $job['issued'], $job['refused']];
    $many = array_map(fn ($i) => ['player_id' => 'player', 'currency' => $i < 5000 ? 'EUR' : 'eur'], range(0, 5000));
    $wrong = failureOf(fn () => $partner->jobs->run($many, ['name' => 'Wrong', 'campaign_id' => $campaignId]));
    $found['wrongItem'] = array_column($wrong->details, 'field');
    $refusals = iterator_to_array($partner->jobs->refusals($jobKey), false);
    $found['refusals'] = array_map(fn ($one) => [$one['item'], $one['error']['error']], $refusals);

    $strict = partner($server, $secret, 'strict');
    $found['strict'] = $strict->campaigns->get(['campaign_id' => $campaignId])['status'];
    $found['forbidden'] = refused(fn () => partner($server, 'wrong')->games->list());
    $found['invalid'] = failureOf(fn () => $partner->freeBets->issue([...$issue, 'currency' => 'eur']))->details;
    $events = iterator_to_array($partner->events->iterate($after, follow: false), false);
    $found['events'] = array_column($events, 'type');
    $number = $after['sequence'] ?? 0;
    foreach ([$number, ['sequence' => $number, 'event_id' => null]] as $without) {
        $same = iterator_to_array($partner->events->iterate($without, follow: false), false);
        must($same == $events, 'a cursor without an id');
    }
    $restored = ['sequence' => $events[0]['sequence'], 'event_id' => Uuid::v4()];
    $thrown = [];
    $error = failureOf(function () use ($partner, $restored, &$thrown): void {
        $partner->events->iterate($restored, onError: function ($error) use (&$thrown): void {
            $thrown[] = $error;
        })->current();
    });
    $isLast = $error->details[0]['value'] === (string) end($events)['sequence'];
    $found['restored'] = [$error->error, $error->code, $error->isRetryable(), $isLast, count($thrown)];
    return $found;
}

function webhookResult(array $one): string
{
    try {
        $options = ['path' => 'path', 'toleranceS' => 'tolerance_s', 'now' => 'now', 'allowUntimed' => 'allow_untimed'];
        $given = array_map(fn ($name) => $one[$name], array_filter($options, fn ($name) => isset($one[$name])));
        Webhook::verify($one['body'], $one['headers'], $one['secrets'], ...$given);
        return 'genuine';
    } catch (WebhookException $error) {
        return $error->reason;
    }
}

function vectors(string $secret, Partner $partner): array
{
    $signatures = read('signatures.json')['vectors'];
    foreach ($signatures as $one) {
        $body = $one['body'] ?? base64_decode($one['body_base64']);
        $signature = Signature::sign($one['secret'], $body, $one['time'] ?? null, $one['path'] ?? '');
        must($signature === $one['signature'], $one['name']);
    }
    $webhooks = read('webhooks.json')['vectors'];
    foreach ($webhooks as $one) {
        must(webhookResult($one) === $one['result'], $one['name'] . ': ' . webhookResult($one));
        $listed = array_map(fn ($value) => [$value], $one['headers']);
        must(webhookResult(['headers' => $listed] + $one) === $one['result'], $one['name'] . ', with headers as PSR-7 has them');
    }
    try {
        Webhook::verify([], [], 'secret');
        must(false, 'a parsed object was taken');
    } catch (TypeError) {
    }
    foreach (['', ['secret', ''], ['secret', null]] as $empty) {
        try {
            Webhook::verify('{}', ['X-Request-Sign' => Signature::sign('', '{}')], $empty);
            must(false, 'an empty secret was taken');
        } catch (InvalidArgumentException) {
        }
    }
    $unused = ['job_id' => Uuid::v4()];
    try {
        $partner->jobs->run(new ArrayIterator([]), $unused + ['name' => 'No players', 'campaign_id' => 'any']);
        must(false, 'a list without items was taken');
    } catch (InvalidArgumentException) {
        must(failureOf(fn () => $partner->jobs->get($unused))->error === 'job_not_found', 'a job without items was created');
    }
    $GLOBALS['pauses'] = [];
    must(failureOf(fn () => partner('http://127.0.0.1:1', $secret, maxRetries: 9)->games->list())->error === 'no_answer', 'no service');
    must($GLOBALS['pauses'] == [0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10, 10], json_encode($GLOBALS['pauses']));
    foreach (['nowhere', 'ftp://localhost', 'http://', 'http://me:word@localhost', getenv('SERVER') . '/v3?a=b'] as $address) {
        try {
            new Partner($address, 1, $secret);
            must(false, "$address was taken");
        } catch (InvalidArgumentException $error) {
            must(!str_contains($error->getMessage(), $address), 'a password is repeated');
        }
    }
    foreach (['', null] as $lost) {
        $issue = ['issue_id' => $lost, 'campaign_id' => 'any', 'player_id' => 'any', 'currency' => 'EUR'];
        $fields = array_column(failureOf(fn () => $partner->freeBets->issue($issue))->details, 'field');
        must($fields === ['issue_id'], 'the client replaced a lost id');
    }
    must(!str_contains(print_r(new Partner('http://127.0.0.1', 1, $secret), true), $secret), 'the secret is dumped');
    must(iterator_count(JobParts::of([['player_id' => str_repeat('x', 2_000_000)]])) === 1, 'a part without items');
    $errors = read('errors.json')['vectors'];
    foreach ($errors as $i => $one) {
        $caller = partner(getenv('ERRORS') . "/$i", $secret, maxRetries: 0);
        $error = failureOf(fn () => $caller->games->list());
        $result = [
            'error' => $error->error,
            'status' => $error->status,
            'code' => $error->status === null || $error->code === 0 ? null : $error->code,
            'details' => $error->details,
            'request_id' => $error->requestId,
            'retry_after_s' => $error->retryAfterS,
            'retryable' => $error->isRetryable(),
        ];
        must($result == $one['result'], $one['name'] . ': ' . json_encode($result));
    }
    $called = partner(getenv('ERRORS') . '/other', $secret, maxRetries: 0);
    $other = failureOf(fn () => $called->freeBets->issue([]));
    must($other->error === 'no_answer', "no HTTP: $other->error");
    must(str_ends_with($other->getMessage(), 'request, which has the ids.'), $other->getMessage());
    $ofJob = failureOf(fn () => $called->jobs->run([['player_id' => 'x']], ['name' => 'A job']));
    foreach ([$other->request['issue_id'], $ofJob->request['job_id']] as $made) {
        must(preg_match('/^[0-9a-f-]{36}$/', $made) === 1, 'the exception lacks a made id');
    }
    must(failureOf(fn () => $called->freeBets->issue($other->request))->request === null, 'the exception repeats the ids of the caller');
    $failures = [];
    foreach (json_decode(getenv('ANSWERS')) as $answers) {
        $givenUp = partner(getenv('ERRORS') . "/$answers", $secret, maxRetries: substr_count($answers, ','));
        $run = fn () => $givenUp->jobs->run([['player_id' => 'x']], ['name' => 'A job']);
        $error = failureOf(str_starts_with($answers, 'open') ? $run : fn () => $givenUp->freeBets->issue([]));
        $isSaid = str_ends_with($error->getMessage(), 'request, which has the ids.');
        $failures[] = [$error->error, $error->mayHaveHappened, $isSaid];
    }
    $halting = partner(getenv('ERRORS') . '/batch', $secret);
    $items = array_map(fn ($player) => ['player_id' => $player], ['later', 'taken', 'never', 'later']);
    $summary = fn ($one) => [$one['player_id'], $one['error']['error'] ?? null, $one['came']];
    $batch = array_map($summary, $halting->freeBets->issueBatch(['items' => $items])['results']);
    // Not an array, but written as one, as the collections of frameworks are.
    $ids = new class (array_map(fn ($player) => "$player " . Uuid::v4(), ['later', 'taken'])) implements \JsonSerializable {
        public function __construct(private array $all)
        {
        }

        public function jsonSerialize(): array
        {
            return $this->all;
        }
    };
    $cancels = array_map($summary, $halting->freeBets->cancelBatch(['issue_ids' => $ids])['results']);
    return ['batch' => $batch, 'cancels' => $cancels, 'failures' => $failures, 'signatures' => count($signatures), 'webhooks' => count($webhooks), 'errors' => count($errors)];
}

/** Whether a pause may have happened that found no service, and how often it was tried. */
function unsent(string $secret): array
{
    $found = [];
    foreach (json_decode(getenv('NOWHERE'), true) as $name => $address) {
        $GLOBALS['pauses'] = [];
        $nowhere = partner($address, $secret);
        $error = failureOf(fn () => $nowhere->campaigns->pause(['campaign_id' => 'any']));
        $found[$name] = [$error->error, $error->mayHaveHappened, count($GLOBALS['pauses']) + 1];
    }
    return $found;
}

$flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE;
echo json_encode(['unsent' => unsent($secret), 'walk' => walk($server, $secret, $partner, $provider), 'vectors' => vectors($secret, $partner)], $flags), "\n";
