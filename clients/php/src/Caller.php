<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Exception\ConnectionException;
use Freebets\Exception\FreebetsException;
use Freebets\Exception\ServerException;
use Freebets\Exception\TimeoutException;
use Freebets\Http\Request;
use Freebets\Http\Response;
use Freebets\Http\Transport;
use Freebets\Http\TransportException;

/**
 * Calls the service as one partner or game provider. A request is serialized once, with an id where the service would
 * make one. Every attempt sends the same bytes, or the rest of a batch, so a lost response never causes a second
 * effect.
 *
 * @internal
 */
final class Caller
{
    private const FIRST_PAUSE_S = 0.4;
    private const LONGEST_PAUSE_S = 10.0;
    /** curl refuses a timeout of 25 days, and sends without it. */
    private const LONGEST_ATTEMPT_S = 86400.0;
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;

    /** Outside of the object, so that no dump of it shows the secret. */
    private static ?\WeakMap $secrets = null;

    private readonly string $userAgent;

    /** @param array{client_id: int}|array{provider_id: string} $identity */
    public function __construct(
        private readonly string $base,
        private readonly array $identity,
        #[\SensitiveParameter] string $secret,
        private readonly string $signing,
        private readonly CallOptions $defaults,
        private readonly Transport $transport,
        private readonly ?\Closure $log,
        ?string $appInfo,
    ) {
        self::$secrets ??= new \WeakMap();
        self::$secrets[$this] = $secret;
        $parts = ['freebets-php/' . Client::VERSION, 'php/' . PHP_VERSION, $transport->name(), $appInfo];
        $this->userAgent = implode(' ', array_filter($parts));
    }

    /**
     * @template T of Result
     *
     * @param array<string, mixed> $request
     * @param class-string<T> $class
     * @return T
     *
     * @throws FreebetsException
     */
    public function call(string $name, array $request, ?CallOptions $options, string $class): Result
    {
        $operation = Operations::ALL[$name];
        $given = [...$this->identity, ...$request];
        $sent = self::withIds($operation, $given);
        try {
            return $this->retried($name, $sent, $options ?? $this->defaults, $class);
        } catch (FreebetsException $exception) {
            // Only the client knows the ids that it made, so the exception carries them.
            throw $sent === $given ? $exception : $exception->withRequest($sent);
        }
    }

    private function retried(string $name, array $request, CallOptions $options, string $class): Result
    {
        $operation = Operations::ALL[$name];
        $attempts = 1 + ($options->maxRetries ?? $this->defaults->maxRetries);
        // Unlike the clock of the machine, hrtime never jumps.
        $endS = hrtime(true) / 1e9 + ($options->deadlineS ?? $this->defaults->deadlineS);
        $body = json_encode($request, self::JSON);
        $fields = $requestId = null;
        $mayHaveHappened = false;
        for ($attempt = 1; ; $attempt++) {
            try {
                $response = $this->attempt($operation, $body, $endS, $options, $attempt);
                $fields = Batch::merged($fields, ResponseReader::read($response, $operation['has']));
                $requestId = $response->headers['x-request-id'] ?? null;
                $rest = Batch::remaining($operation, $request, $fields);
                if ($rest === null) {
                    return new $class($fields, $requestId);
                }
                $body = json_encode($rest, self::JSON);
                throw new ServerException(ErrorName::UNAVAILABLE, 'Some items could not be processed.', 503);
            } catch (FreebetsException $exception) {
                $mayHaveHappened = $exception->mayHaveHappened = $mayHaveHappened || $exception->mayHaveHappened;
            }
            $pauseS = self::pauseAfter($attempt, $exception);
            $isLast = $attempt >= $attempts || (isset($operation['once']) && $mayHaveHappened);
            if (!$exception->isRetryable() || $isLast || hrtime(true) / 1e9 + $pauseS >= $endS) {
                // Items of a batch that are still open have their errors among the results.
                return $fields === null ? throw $exception : new $class($fields, $requestId);
            }
            $this->log('info', 'Freebets retries a call', [
                'path' => $operation['path'],
                'error' => $exception->error,
                'attempt' => $attempt,
                'pause_s' => round($pauseS, 3),
            ]);
            usleep((int) ($pauseS * 1e6));
        }
    }

    /** Adds jitter, so that callers that failed together do not retry together. */
    private static function pauseAfter(int $attempt, FreebetsException $exception): float
    {
        $longest = min(self::FIRST_PAUSE_S * 2 ** ($attempt - 1), self::LONGEST_PAUSE_S);
        return ($exception->retryAfterS ?? 0) + $longest * random_int(0, 1000) / 1000;
    }

    private function attempt(array $operation, string $body, float $endS, CallOptions $options, int $number): Response
    {
        $path = '/v3' . $operation['path'];
        $longestS = $options->attemptTimeoutS ?? $this->defaults->attemptTimeoutS;
        $startS = hrtime(true) / 1e9;
        $timeoutS = max(0.001, min($longestS, $endS - $startS, self::LONGEST_ATTEMPT_S));
        $headers = $this->headers($body, $path, $options->requestId);
        $context = ['path' => $operation['path'], 'attempt' => $number];
        $isRepeatable = !isset($operation['once']);
        try {
            $request = new Request($this->base . $path, $headers, $body, $timeoutS, $isRepeatable);
            $response = $this->transport->send($request);
        } catch (TransportException $exception) {
            $context += ['duration_ms' => self::msSince($startS), 'reason' => $exception->getMessage()];
            $this->log('warning', 'Freebets sent no response', $context);
            throw $this->unanswered($exception);
        }
        $this->log($response->status === 200 ? 'debug' : 'warning', 'Freebets responded', $context + [
            'duration_ms' => self::msSince($startS),
            'status' => $response->status,
            'request_id' => $response->headers['x-request-id'] ?? null,
        ]);
        return $response;
    }

    /** @return array<string, string> */
    private function headers(string $body, string $path, ?string $requestId): array
    {
        // Each attempt signs its own time, because a late one would be refused with the time of the first.
        $time = $this->signing === 'strict' ? (string) time() : null;
        $headers = [
            'Content-Type' => 'application/json',
            'User-Agent' => $this->userAgent,
            Signature::HEADER => Signature::sign(self::$secrets[$this], $body, $time, $path),
            Signature::TIME_HEADER => $time,
            'X-Request-Id' => $requestId,
        ];
        return array_filter($headers, static fn (?string $value): bool => $value !== null);
    }

    private function unanswered(TransportException $cause): ConnectionException
    {
        $message = rtrim("No complete response from $this->base. {$cause->getMessage()}");
        $class = $cause->isTimeout ? TimeoutException::class : ConnectionException::class;
        $exception = new $class(ErrorName::NO_ANSWER, $message, previous: $cause);
        $exception->mayHaveHappened = $cause->wasSent;
        return $exception;
    }

    private static function msSince(float $startS): int
    {
        return (int) round((hrtime(true) / 1e9 - $startS) * 1000);
    }

    private function log(string $level, string $message, array $context): void
    {
        try {
            $this->log === null || ($this->log)($level, $message, $context);
        } catch (\Throwable $failure) {
            // The call may have been carried out, so its result matters more.
            error_log('The logger of the Freebets client failed: ' . $failure->getMessage());
        }
    }

    /** Adds missing ids, because the service would make a new one for every attempt. */
    private static function withIds(array $operation, array $request): array
    {
        $makes = $operation['makes'] ?? null;
        if ($makes === null) {
            return $request;
        }
        // An id that is null or empty is a bug of the caller. The service reports it; a new id would hide it.
        $withId = static function (mixed $of) use ($makes): mixed {
            $of = self::arrayOf($of);
            return is_array($of) && !array_key_exists($makes, $of) ? [...$of, $makes => Uuid::v4()] : $of;
        };
        if (!isset($operation['each'])) {
            return $withId($request);
        }
        $items = $request[$operation['each']] ?? [];
        $items = $items instanceof \Traversable ? iterator_to_array($items, false) : self::arrayOf($items);
        // The service refuses anything but a list.
        return is_array($items) ? [...$request, $operation['each'] => array_map($withId, $items)] : $request;
    }
    /** An object is sent as its JSON, so it needs an id as an array does. Objects inside it stay objects. */
    private static function arrayOf(mixed $value): mixed
    {
        $plain = is_object($value) ? json_decode(json_encode($value, self::JSON)) : $value;
        return $plain instanceof \stdClass ? (array) $plain : $plain;
    }
}
