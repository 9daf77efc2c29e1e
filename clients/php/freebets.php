<?php

/**
 * Calls the Freebets service as a partner or a game provider.
 *
 * One file, no dependencies, PHP 8.1 and newer: copy it into your project.
 *
 *     require 'freebets.php';
 *
 *     $partner = new Freebets\Partner('https://freebets.example.com', 1, '...');
 *     $freeBet = $partner->freeBets->issue(['campaign_id' => 'welcome', 'player_id' => 'player-1', 'currency' => 'EUR']);
 *
 * Requests and answers are arrays with the names of the interface. A request without an id gets one here, and every attempt
 * sends the same bytes, or of a batch what is left of it: so whatever was lost on the way, nothing happens twice.
 */

declare(strict_types=1);

namespace Freebets;

// Made from the contract by "node test/docs/write-tables.ts": change it there.
// <!-- operations -->
const OPERATIONS = [
    'campaigns.create' => ['path' => '/FreeBets/Campaign/Create', 'caller' => 'client_id', 'makes' => 'campaign_id', 'has' => ['campaign_id']],
    'campaigns.get' => ['path' => '/FreeBets/Campaign/Get', 'caller' => 'client_id', 'has' => ['campaign_id', 'name']],
    'campaigns.list' => ['path' => '/FreeBets/Campaign/List', 'caller' => 'client_id', 'list' => 'campaigns', 'most' => 200, 'has' => ['campaigns', 'next_cursor']],
    'campaigns.stop' => ['path' => '/FreeBets/Campaign/Stop', 'caller' => 'client_id', 'has' => []],
    'campaigns.pause' => ['path' => '/FreeBets/Campaign/Pause', 'caller' => 'client_id', 'has' => [], 'once' => true],
    'campaigns.resume' => ['path' => '/FreeBets/Campaign/Resume', 'caller' => 'client_id', 'has' => [], 'once' => true],
    'campaigns.limits' => ['path' => '/FreeBets/Campaign/Limits', 'caller' => 'client_id', 'has' => ['campaign_id', 'name'], 'once' => true],
    'freeBets.issue' => ['path' => '/FreeBets/Issue', 'caller' => 'client_id', 'makes' => 'issue_id', 'has' => ['issue_id', 'campaign_id']],
    'freeBets.issueBatch' => ['path' => '/FreeBets/Issue/Batch', 'caller' => 'client_id', 'makes' => 'issue_id', 'each' => 'items', 'has' => ['results']],
    'freeBets.cancel' => ['path' => '/FreeBets/Cancel', 'caller' => 'client_id', 'has' => []],
    'freeBets.cancelBatch' => ['path' => '/FreeBets/Cancel/Batch', 'caller' => 'client_id', 'each' => 'issue_ids', 'has' => ['results']],
    'freeBets.get' => ['path' => '/FreeBets/Get', 'caller' => 'client_id', 'has' => ['issue_id', 'campaign_id']],
    'freeBets.list' => ['path' => '/FreeBets/List', 'caller' => 'client_id', 'list' => 'free_bets', 'most' => 200, 'has' => ['free_bets', 'next_cursor']],
    'jobs.create' => ['path' => '/FreeBets/Jobs/Create', 'caller' => 'client_id', 'has' => ['job_id', 'name']],
    'jobs.add' => ['path' => '/FreeBets/Jobs/Add', 'caller' => 'client_id', 'has' => ['job_id', 'part']],
    'jobs.start' => ['path' => '/FreeBets/Jobs/Start', 'caller' => 'client_id', 'has' => ['job_id', 'name']],
    'jobs.get' => ['path' => '/FreeBets/Jobs/Get', 'caller' => 'client_id', 'has' => ['job_id', 'name']],
    'jobs.list' => ['path' => '/FreeBets/Jobs/List', 'caller' => 'client_id', 'list' => 'jobs', 'most' => 200, 'has' => ['jobs', 'next_cursor']],
    'jobs.refusals' => ['path' => '/FreeBets/Jobs/Refusals', 'caller' => 'client_id', 'list' => 'refusals', 'most' => 1000, 'has' => ['refusals', 'next_cursor']],
    'jobs.retry' => ['path' => '/FreeBets/Jobs/Retry', 'caller' => 'client_id', 'has' => ['job_id', 'name']],
    'jobs.stop' => ['path' => '/FreeBets/Jobs/Stop', 'caller' => 'client_id', 'has' => []],
    'games.list' => ['path' => '/Game/List', 'caller' => 'client_id', 'has' => ['providers', 'image_assets']],
    'events.list' => ['path' => '/Events/List', 'caller' => 'client_id', 'has' => ['events', 'last_sequence']],
    'rounds.available' => ['path' => '/Rounds/Available', 'caller' => 'provider_id', 'has' => ['free_bets']],
    'rounds.bet' => ['path' => '/Rounds/Bet', 'caller' => 'provider_id', 'has' => ['bet_id', 'issue_id']],
    'rounds.settle' => ['path' => '/Rounds/Settle', 'caller' => 'provider_id', 'has' => ['bet_id', 'result']],
    'rounds.rollback' => ['path' => '/Rounds/Rollback', 'caller' => 'provider_id', 'has' => []],
    'rounds.get' => ['path' => '/Rounds/Get', 'caller' => 'provider_id', 'has' => ['bet_id', 'status']],
    'rounds.open' => ['path' => '/Rounds/Open', 'caller' => 'provider_id', 'list' => 'bets', 'most' => 200, 'has' => ['bets', 'next_cursor']],
    'sandbox.clockGet' => ['path' => '/Sandbox/Clock/Get', 'caller' => 'client_id', 'has' => ['now', 'offset_s']],
    'sandbox.clockSet' => ['path' => '/Sandbox/Clock/Set', 'caller' => 'client_id', 'has' => ['now', 'offset_s']],
    'sandbox.round' => ['path' => '/Sandbox/Round', 'caller' => 'client_id', 'has' => ['issue_id', 'campaign_id'], 'once' => true],
];
const ITEMS_OF_PART = 5000;
// <!-- /operations -->

const SIGNATURE = 'X-REQUEST-SIGN';
const TIME = 'X-REQUEST-TIME';
/** A body has 1 MiB; this leaves room for what stands around the items. */
const BYTES_OF_PART = 1024 * 1024 - 1024;
/** PHP's messages if no connection was made, or TLS did not begin: then nothing was sent. */
const UNSENT = '/failed to open stream: (Connection refused|operation failed|php_network_getaddresses: .*)$/i';
const FIRST_PAUSE_S = 0.4;
const LONGEST_PAUSE_S = 10.0;

/** Why a call has failed: for programs by `name`, a row of the table of errors, `no_answer` or `unreadable_answer`. */
final class FreebetsError extends \RuntimeException
{
    /**
     * Whether any attempt of the call may have been carried out: one that was sent and got no answer, a response from something other
     * than the service, or a fault. A refusal after such an attempt does not change this.
     */
    public bool $mayHaveHappened;
    /** Where ids were made here: the request with them, to call again with. Without them it would be another call. */
    public ?array $request = null;

    /** @param list<array{field: string, reason: string}> $details */
    public function __construct(
        public readonly string $name,
        string $message,
        public readonly ?int $status = null,
        public readonly ?int $number = null,
        public array $details = [],
        public readonly ?string $requestId = null,
        public readonly ?float $retryAfterS = null,
    ) {
        parent::__construct("$name: $message", $number ?? 0);
        $this->mayHaveHappened = $name === 'unreadable_answer' || ($this->isRetryable() && $status !== 429);
    }

    /** Whether the same request may succeed later. */
    public function isRetryable(): bool
    {
        $status = $this->status;
        return $status === null || $status < 300 || $status === 408 || $status === 429 || $status >= 500;
    }

    /** @internal */
    public function withRequest(array $request): self
    {
        if ($this->request !== null) {
            return $this;
        }
        $this->request = $request;
        if ($this->mayHaveHappened && empty($request['dry_run'])) {
            $this->message .= " It may have been carried out: to call again, give this error's request, which has the ids.";
        }
        return $this;
    }
}

/** Why an event is not to be believed: answer it with 401, or 400 where `reason` is `not_an_event`. */
final class WebhookError extends \RuntimeException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}

/** The value of X-REQUEST-SIGN for these bytes; with a time and a path, the one that covers them too. */
function sign(#[\SensitiveParameter] string $secret, string $body, ?string $time = null, string $path = ''): string
{
    return hash_hmac('sha256', ($time === null ? '' : "$time\n$path\n") . $body, $secret);
}

/** The methods of one noun: `$partner->freeBets->issue([...])`; of a list also all of it, page by page: `->all('list', [...])`. */
final class Noun
{
    /** @param array<string, array<string, mixed>> $operations by their verbs */
    public function __construct(private readonly Client $client, private readonly array $operations)
    {
    }

    /** @param array{0?: array<string, mixed>} $arguments */
    public function __call(string $verb, array $arguments): array
    {
        return $this->client->call($this->operation($verb), $arguments[0] ?? []);
    }

    /** Every item of a list; a page may hold fewer than it could, even nothing, and not be the last. */
    public function all(string $verb, array $request = []): \Generator
    {
        $operation = $this->operation($verb);
        $request += ['limit' => $operation['most']];
        do {
            $page = $this->client->call($operation, $request);
            foreach ($page[$operation['list']] as $item) {
                yield $item;
            }
            $request['cursor'] = $page['next_cursor'];
        } while ($page['next_cursor'] !== null);
    }

    private function operation(string $verb): array
    {
        return $this->operations[$verb] ?? throw new \BadMethodCallException("There is no operation $verb.");
    }
}

abstract class Client
{
    private readonly string $base;
    /** @var array<string, Noun> */
    private array $nouns = [];

    /** @param array{client_id: int}|array{provider_id: string} $identity */
    protected function __construct(
        string $baseUrl,
        private readonly array $identity,
        #[\SensitiveParameter] private readonly string $secret,
        private readonly string $signing,
        private readonly int $attempts,
        private readonly float $attemptTimeoutS,
        private readonly float $deadlineS,
    ) {
        if ($secret === '') {
            throw new \InvalidArgumentException('The secret is empty.');
        }
        $address = parse_url($baseUrl) ?: [];
        $isHttp = in_array($address['scheme'] ?? '', ['http', 'https'], true) && isset($address['host']);
        if (!$isHttp || isset($address['user']) || isset($address['query'])) {
            // The address may hold a password, and is not repeated.
            $wanted = 'an address such as https://freebets.example.com, without a user or a query';
            throw new \InvalidArgumentException("baseUrl must be $wanted.");
        }
        $this->base = (string) preg_replace('~(/v3)?/*(#.*)?$~', '', $baseUrl);
        $byNoun = [];
        foreach (OPERATIONS as $method => $operation) {
            [$noun, $verb] = explode('.', $method);
            if (isset($identity[$operation['caller']])) {
                $byNoun[$noun][$verb] = $operation;
            }
        }
        foreach ($byNoun as $noun => $operations) {
            $this->nouns[$noun] = new Noun($this, $operations);
        }
    }

    public function __get(string $noun): Noun
    {
        return $this->nouns[$noun] ?? throw new \OutOfRangeException("There is no noun $noun.");
    }

    /** What is dumped or logged holds no secret. */
    public function __debugInfo(): array
    {
        return ['base' => $this->base, 'identity' => $this->identity, 'signing' => $this->signing];
    }

    /** The answer to a request; whatever else comes of it is thrown as a FreebetsError. */
    public function call(array $operation, array $request): array
    {
        $asked = [...$this->identity, ...$request];
        $sent = self::withIds($operation, $asked);
        try {
            return $this->retried($operation, $sent);
        } catch (FreebetsError $error) {
            // Nobody else knows the ids that were made here.
            throw $sent === $asked ? $error : $error->withRequest($sent);
        }
    }

    private function retried(array $operation, array $request): array
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
        $body = json_encode($request, $flags);
        $answer = null;
        // The clock of the machine may be set meanwhile, this one not.
        $now = fn (): float => hrtime(true) / 1e9;
        $end = $now() + $this->deadlineS;
        $mayHaveHappened = false;
        for ($tried = 1; ; $tried++) {
            try {
                $answer = self::completed($answer, $this->attempt($operation, $body, $end - $now()));
                $rest = self::restOf($operation, $request, $answer);
                if ($rest === null) {
                    return $answer;
                }
                $body = json_encode($rest, $flags);
                throw new FreebetsError('unavailable', 'Some items could not be taken.', 503);
            } catch (FreebetsError $error) {
                $mayHaveHappened = $error->mayHaveHappened = $mayHaveHappened || $error->mayHaveHappened;
                $longest = min(FIRST_PAUSE_S * 2 ** ($tried - 1), LONGEST_PAUSE_S);
                // With jitter, so that what failed together does not come back together.
                $pause = ($error->retryAfterS ?? 0) + $longest * random_int(0, 1000) / 1000;
                $isLast = $tried >= $this->attempts || (isset($operation['once']) && $mayHaveHappened);
                if (!$error->isRetryable() || $isLast || $now() + $pause >= $end) {
                    // What is left of a batch in the end has its place among the results.
                    return $answer ?? throw $error;
                }
            }
            usleep((int) ($pause * 1e6));
        }
    }

    private function attempt(array $operation, string $body, float $leftS): array
    {
        $path = '/v3' . $operation['path'];
        // That of the attempt: a late one would be refused with the time of the first.
        $time = $this->signing === 'strict' ? (string) time() : null;
        $headers = ['Content-Type: application/json', SIGNATURE . ': ' . sign($this->secret, $body, $time, $path)];
        if ($time !== null) {
            $headers[] = TIME . ": $time";
        }
        // A redirect is not followed: it would turn the call into another one, or carry the signed bytes somewhere else.
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => $headers,
            'content' => $body,
            'timeout' => max(0.001, min($this->attemptTimeoutS, $leftS)),
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ]]);
        error_clear_last();
        $answer = @fopen($this->base . $path, 'r', false, $context);
        if ($answer === false) {
            $reason = error_get_last()['message'] ?? '';
            $error = new FreebetsError('no_answer', rtrim("No answer came from $this->base. $reason"));
            $error->mayHaveHappened = preg_match(UNSENT, $reason) !== 1;
            throw $error;
        }
        $lines = stream_get_meta_data($answer)['wrapper_data'] ?? [];
        $text = stream_get_contents($answer);
        $isLate = stream_get_meta_data($answer)['timed_out'];
        fclose($answer);
        $named = self::headersIn($lines);
        // PHP does not say that a body was cut off.
        $isWhole = !isset($named['content-length']) || strlen((string) $text) === (int) $named['content-length'];
        $isHttp = preg_match('~^HTTP/\S+ (\d{3})\b~', $lines[0] ?? '', $status) === 1;
        if ($text === false || $isLate || !$isWhole || !$isHttp) {
            throw new FreebetsError('no_answer', "No answer came from $this->base.");
        }
        return self::result($operation['has'], (int) $status[1], $named, $text);
    }

    /** @param list<string> $lines */
    private static function headersIn(array $lines): array
    {
        $named = [];
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $named[strtolower($name)] = trim($value);
        }
        return $named;
    }

    /** Something else than the service may answer with an object too. What answers {} answers no more than that it was a dry run. */
    private static function isAnswer(array $has, array $body): bool
    {
        $known = array_flip($has === [] ? ['dry_run'] : $has);
        return $has === [] ? array_diff_key($body, $known) === [] : array_diff_key($known, $body) === [];
    }

    private static function result(array $has, int $status, array $headers, string $text): array
    {
        $body = objectIn($text);
        if ($status === 200 && $body !== null && self::isAnswer($has, $body)) {
            return $body;
        }
        $requestId = $headers['x-request-id'] ?? null;
        $retryAfterS = self::retryAfterS($headers['retry-after'] ?? null);
        if ($status === 200 || !is_string($body['error'] ?? null) || !is_int($body['code'] ?? null)) {
            $message = "What answered with status $status is not Freebets.";
            throw new FreebetsError('unreadable_answer', $message, $status, null, [], $requestId, $retryAfterS);
        }
        $textOf = fn (mixed $value): ?string => is_string($value) ? $value : null;
        $isFieldError = fn (mixed $one): bool => is_string($one['field'] ?? null) && is_string($one['reason'] ?? null);
        $details = $body['details'] ?? null;
        throw new FreebetsError(
            $body['error'],
            $textOf($body['message'] ?? null) ?? '',
            $status,
            $body['code'],
            is_array($details) ? array_values(array_filter($details, $isFieldError)) : [],
            $textOf($body['request_id'] ?? null) ?? $requestId,
            $retryAfterS,
        );
    }

    /** Seconds, or a date, which begins with the day of the week: what else a parser takes for one is none. */
    private static function retryAfterS(?string $value): ?float
    {
        if ($value === null || !preg_match('/^(\d+$|[A-Z][a-z]+,? .+:)/', $value)) {
            return null;
        }
        if (ctype_digit($value)) {
            return (float) $value;
        }
        $at = strtotime($value);
        return $at === false ? null : max(0.0, $at - microtime(true));
    }

    private static function resultsOf(array $answer): array
    {
        return is_array($answer['results'] ?? null) ? $answer['results'] : [];
    }

    /** The service could not take this item of a batch; or it was carried out all the same, and the confirmation lost. */
    private static function isOpen(mixed $result): bool
    {
        return in_array($result['error']['error'] ?? null, ['unavailable', 'internal_error'], true);
    }

    /** The request for the items that an answer leaves open, if there are any. A dry run does nothing, and is decided as a whole. */
    private static function restOf(array $operation, array $request, array $answer): ?array
    {
        $results = self::resultsOf($answer);
        $items = isset($operation['each']) ? $request[$operation['each']] : [];
        // A collection that is written as an array was sent as one.
        $items = is_array($items) ? $items : json_decode(json_encode($items), true);
        if (count($results) !== count($items) || !empty($request['dry_run'])) {
            return null;
        }
        $rest = array_values(array_filter($items, fn (int $i): bool => self::isOpen($results[$i]), ARRAY_FILTER_USE_KEY));
        return $rest === [] ? null : [...$request, $operation['each'] => $rest];
    }

    /** An answer with the results of the next one in the places that it left open. */
    private static function completed(?array $answer, array $next): array
    {
        if ($answer === null) {
            return $next;
        }
        $later = self::resultsOf($next);
        foreach (self::resultsOf($answer) as $i => $one) {
            if (self::isOpen($one)) {
                $answer['results'][$i] = array_shift($later) ?? $one;
            }
        }
        return $answer;
    }

    /** Without an id of the caller the service makes one, and would make another with every attempt. */
    private static function withIds(array $operation, array $request): array
    {
        $makes = $operation['makes'] ?? null;
        if ($makes === null) {
            return $request;
        }
        // An id that is null or empty was lost by the caller: the service says so, where another would hide it.
        $withId = fn (array $of): array => array_key_exists($makes, $of) ? $of : [...$of, $makes => uuid()];
        if (!isset($operation['each'])) {
            return $withId($request);
        }
        $each = $operation['each'];
        return [...$request, $each => array_map($withId, $request[$each] ?? [])];
    }
}

/** An operator platform: `$partner->freeBets->issue([...])`, and a method for every other operation of a partner. */
final class Partner extends Client
{
    public function __construct(
        string $baseUrl,
        int $clientId,
        #[\SensitiveParameter] string $secret,
        string $signing = 'plain',
        int $attempts = 10,
        float $attemptTimeoutS = 10,
        float $deadlineS = 30,
    ) {
        $identity = ['client_id' => $clientId];
        parent::__construct($baseUrl, $identity, $secret, $signing, $attempts, $attemptTimeoutS, $deadlineS);
    }

    /**
     * Yields every event after a cursor in order, and then new events as they happen. Your cursor is the `sequence` and the `event_id`
     * of the last event that you have processed: pass that event, or an array with the two. A number alone works too, but then a
     * restore of the service goes unnoticed. Without `$follow` it ends at the last event. With it, it continues while the service
     * cannot be reached, and passes the error of each call that is given up to `$onError`. `feed_changed` and `events_removed` are
     * thrown and never retried.
     *
     * @param int|array{sequence: int, event_id?: ?string} $after
     */
    public function followEvents(
        int|array $after = 0,
        bool $follow = true,
        float $pauseS = 1,
        ?callable $isStopped = null,
        ?callable $onError = null,
    ): \Generator {
        $isStopped ??= fn (): bool => false;
        $cursor = is_int($after) ? ['sequence' => $after] : $after;
        while (!$isStopped()) {
            $request = ['after' => $cursor['sequence'], 'limit' => 1000];
            if (isset($cursor['event_id'])) {
                $request['after_event_id'] = $cursor['event_id'];
            }
            $events = [];
            try {
                $events = $this->events->list($request)['events'];
            } catch (FreebetsError $error) {
                if (!$follow || !$error->isRetryable()) {
                    throw $error;
                }
                $onError === null || $onError($error);
            }
            foreach ($events as $event) {
                if ($isStopped()) {
                    return;
                }
                $cursor = $event;
                yield $event;
            }
            if ($events === []) {
                if (!$follow) {
                    return;
                }
                usleep((int) ($pauseS * 1e6));
            }
        }
    }

    /**
     * Creates a job, sends its items, of which there may be any number, and starts it; the job as it stands then. With the
     * same `job_id` and the same items it goes on where it was broken off; one that was made here is in the `request` of the
     * error. One part is in memory at a time. A list without items is an InvalidArgumentException, and no job is created. A job
     * that was stopped is an error, `job_started`, and one that failed too, `job_failed`: see `jobs->retry`.
     */
    public function runJob(iterable $items, array $job, ?callable $onSent = null): array
    {
        if (array_key_exists('job_id', $job)) {
            return $this->runNamedJob($items, $job, $onSent);
        }
        $made = ['job_id' => uuid()];
        try {
            return $this->runNamedJob($items, $job + $made, $onSent);
        } catch (FreebetsError $error) {
            throw $error->withRequest($made);
        }
    }

    private function runNamedJob(iterable $items, array $job, ?callable $onSent): array
    {
        $present = $this->handOver($items, $job, $onSent);
        if ($present['status'] === 'failed') {
            $why = $present['failure']['reason'] ?? 'The service does not say why.';
            $error = new FreebetsError('job_failed', "The job failed. $why", 409);
            $error->mayHaveHappened = true;
            throw $error;
        }
        if ($present['status'] === 'stopped') {
            $error = new FreebetsError('job_started', 'The job was stopped.', 409, 641);
            $error->mayHaveHappened = isset($present['started_at']);
            throw $error;
        }
        return $present;
    }

    private function handOver(iterable $items, array $job, ?callable $onSent): array
    {
        $all = partsOf($items);
        if (!$all->valid()) {
            throw new \InvalidArgumentException('The list has no items.');
        }
        $key = ['job_id' => $job['job_id']];
        $this->jobs->create($job);
        // What create answers is the job as it was created, whenever that was.
        $present = $this->jobs->get($key);
        if ($present['status'] !== 'open') {
            return $present;
        }
        $parts = $count = 0;
        try {
            foreach ($all as $part) {
                $this->sendPart($key + ['part' => ++$parts, 'items' => $part], $count);
                $count += count($part);
                $onSent === null || $onSent($parts, $count);
            }
            return $this->jobs->start($key + ['parts' => $parts, 'items' => $count]);
        } catch (FreebetsError $error) {
            // Somebody else has started or stopped it meanwhile.
            if ($error->name !== 'job_started') {
                throw $error;
            }
            try {
                return $this->jobs->get($key);
            } catch (FreebetsError $unread) {
                $unread->mayHaveHappened = true;
                throw $unread;
            }
        }
    }

    private function sendPart(array $part, int $before): void
    {
        try {
            $this->jobs->add($part);
        } catch (FreebetsError $error) {
            // Which item of the list is wrong, where the service says which of its part is.
            $shifted = fn (array $found): string => (string) ($before + (int) $found[0]);
            foreach ($error->details as &$detail) {
                $detail['field'] = preg_replace_callback('/(?<=^items\[)\d+/', $shifted, $detail['field']);
            }
            throw $error;
        }
    }

    /** Asks for a job until it is finished, failed or stopped, at first often and then once a second. */
    public function waitForJob(string $jobId, ?callable $onProgress = null): array
    {
        for ($pauseS = 0.1; ; $pauseS = min($pauseS * 2, 1)) {
            $job = $this->jobs->get(['job_id' => $jobId]);
            $onProgress === null || $onProgress($job);
            if (in_array($job['status'], ['finished', 'failed', 'stopped'], true)) {
                return $job;
            }
            usleep((int) ($pauseS * 1e6));
        }
    }
}

/** A game provider: `$provider->rounds->bet([...])`, and a method for every other operation of a provider. */
final class Provider extends Client
{
    public function __construct(
        string $baseUrl,
        string $providerId,
        #[\SensitiveParameter] string $secret,
        string $signing = 'plain',
        int $attempts = 10,
        float $attemptTimeoutS = 10,
        float $deadlineS = 30,
    ) {
        $identity = ['provider_id' => $providerId];
        parent::__construct($baseUrl, $identity, $secret, $signing, $attempts, $attemptTimeoutS, $deadlineS);
    }
}

/** As many items to a part as it may have, by their number and by their bytes. */
function partsOf(iterable $items): \Generator
{
    $part = [];
    $bytes = 0;
    foreach ($items as $item) {
        // With the comma behind it.
        $ofItem = strlen(json_encode($item, JSON_THROW_ON_ERROR)) + 1;
        if (count($part) === ITEMS_OF_PART || ($part !== [] && $bytes + $ofItem > BYTES_OF_PART)) {
            yield $part;
            $part = [];
            $bytes = 0;
        }
        $part[] = $item;
        $bytes += $ofItem;
    }
    if ($part !== []) {
        yield $part;
    }
}

/**
 * The event, if it is genuine; otherwise a WebhookError is thrown.
 *
 * `$rawBody` is the body as it came (`file_get_contents('php://input')`), `$headers` those of the request by their names
 * (`getallheaders()`, or `$request->getHeaders()` of PSR-7), `$secrets` one, or several while yours is being changed. `$path` is that of the request line with its
 * query (`$_SERVER['REQUEST_URI']`); where your signing is strict it is needed to check X-REQUEST-SIGN.
 * `$allowUntimed` takes that alone where it covers no time; then only its `event_id` tells an old event from a new one.
 *
 * @param string|list<string> $secrets
 */
function verifyWebhook(
    mixed $rawBody,
    array $headers,
    #[\SensitiveParameter] string|array $secrets,
    ?string $path = null,
    int $toleranceS = 300,
    ?int $now = null,
    bool $allowUntimed = false,
): array {
    if (!is_string($rawBody)) {
        throw new \TypeError(
            'verifyWebhook needs the body as it came, and was given what something has made of it: read it with '
            . "file_get_contents('php://input').",
        );
    }
    foreach ((array) $secrets as $secret) {
        if (!is_string($secret) || $secret === '') {
            throw new \InvalidArgumentException('A secret is empty: everybody could sign with it.');
        }
    }
    $now ??= time();
    $named = array_map(fn ($value): string => implode(', ', (array) $value), array_change_key_case($headers));
    $requireRecent = function (string $header) use ($named, $now, $toleranceS): string {
        $value = $named[strtolower($header)] ?? '';
        if (!preg_match('/^\d{1,15}\z/', $value) || abs($now - (int) $value) > $toleranceS) {
            throw new WebhookError('wrong_time', "$header is missing or too far off.");
        }
        return $value;
    };
    $requireRight = function (string $header, array $given, string $content, callable $written) use ($secrets): void {
        foreach ((array) $secrets as $secret) {
            $right = $written(hash_hmac('sha256', $content, $secret, true));
            foreach ($given as $one) {
                if (hash_equals($right, $one)) {
                    return;
                }
            }
        }
        throw new WebhookError('wrong_signature', "$header is wrong: another secret, or a body that is not the one sent.");
    };

    $standard = $named['webhook-signature'] ?? null;
    if ($standard !== null) {
        $sentAt = $requireRecent('webhook-timestamp');
        $content = ($named['webhook-id'] ?? '') . ".$sentAt.$rawBody";
        $written = fn (string $digest): string => 'v1,' . base64_encode($digest);
        $requireRight('webhook-signature', explode(' ', $standard), $content, $written);
    }
    $signed = array_intersect_key($named, ['x-request-sign' => 1, 'x-request-sign-previous' => 1]);
    if ($standard === null && $signed === []) {
        throw new WebhookError('missing_signature', 'There is neither webhook-signature nor X-REQUEST-SIGN.');
    }
    if ($signed !== []) {
        $sentAt = isset($named[strtolower(TIME)]) ? $requireRecent(TIME) : null;
        if ($sentAt !== null && $path === null && $standard === null) {
            throw new WebhookError('path_needed', 'X-REQUEST-SIGN covers the path of the request: give it as path.');
        }
        if ($sentAt === null || $path !== null) {
            $content = ($sentAt === null ? '' : "$sentAt\n$path\n") . $rawBody;
            $requireRight(SIGNATURE, array_map('strtolower', $signed), $content, 'bin2hex');
        }
    }
    if ($standard === null && !isset($named[strtolower(TIME)]) && !$allowUntimed) {
        throw new WebhookError('wrong_time', 'webhook-signature is missing, and X-REQUEST-SIGN alone covers no time.');
    }
    $event = objectIn($rawBody);
    if (!isset($event['event_id'], $event['sequence'], $event['type'])) {
        throw new WebhookError('not_an_event', 'The signature is right, but the body is no event.');
    }
    return $event;
}

/** The object that a text holds as JSON, if it does. */
function objectIn(string $text): ?array
{
    $value = json_decode($text, true);
    // An empty object and an empty list are the same array in PHP.
    return is_array($value) && str_starts_with(ltrim($text), '{') ? $value : null;
}

function uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}
