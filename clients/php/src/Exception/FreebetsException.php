<?php

declare(strict_types=1);

namespace Freebets\Exception;

use Freebets\ErrorName;

/**
 * The base class of the exceptions of all calls. Catch a subclass to handle one kind of failure, and compare `error`
 * with a constant of `ErrorName` to handle one error.
 */
class FreebetsException extends \RuntimeException
{
    /** @var int the number of the error; 0 if the response did not come from the service */
    public $code = 0;

    /**
     * Whether any attempt of the call may have been carried out: its response was lost, came from something other than
     * the service, or was a fault such as 503. A refusal after such an attempt does not change this.
     */
    public bool $mayHaveHappened;

    /** @var array<string, mixed>|null the request with the ids that the client made; send it to repeat the call */
    public ?array $request = null;

    /**
     * @param string $error a constant of `ErrorName`
     * @param int|null $status the HTTP status; null without a response
     * @param list<array{field: string, reason: string, value?: string}> $details every field that is wrong
     * @param string|null $requestId identifies the request in the logs of the service
     * @param float|null $retryAfterS the seconds that the service asks you to wait
     * @param string|null $docUrl the page that explains the error
     */
    final public function __construct(
        public readonly string $error,
        string $message,
        public readonly ?int $status = null,
        int $code = 0,
        public array $details = [],
        public readonly ?string $requestId = null,
        public readonly ?float $retryAfterS = null,
        public readonly ?string $docUrl = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct("$error: $message", $code, $previous);
        $isUnreadable = $error === ErrorName::UNREADABLE_ANSWER;
        $this->mayHaveHappened = $isUnreadable || ($this->isRetryable() && $status !== 429);
    }

    /**
     * The class of exceptions for an error with this HTTP status.
     *
     * @return class-string<self>
     *
     * @internal
     */
    public static function classFor(string $error, ?int $status): string
    {
        return match (true) {
            $status === null => ConnectionException::class,
            $status === 429 => RateLimitException::class,
            $status >= 500 => ServerException::class,
            $error === ErrorName::UNREADABLE_ANSWER => UnexpectedResponseException::class,
            in_array($status, [400, 405, 413, 415], true) => ValidationException::class,
            in_array($status, [401, 403], true) => AuthenticationException::class,
            $status === 404 => NotFoundException::class,
            $status === 409 => ConflictException::class,
            default => UnexpectedResponseException::class,
        };
    }

    /** Whether the same request may succeed later. */
    public function isRetryable(): bool
    {
        $status = $this->status;
        return $status === null || $status < 300 || $status === 408 || $status === 429 || $status >= 500;
    }

    /**
     * @param array<string, mixed> $request
     *
     * @internal
     */
    public function withRequest(array $request): static
    {
        if ($this->request !== null) {
            return $this;
        }
        $this->request = $request;
        if ($this->mayHaveHappened && empty($request['dry_run'])) {
            $this->message .= ' The call may have been carried out.'
                . " To repeat it, send this exception's request, which has the ids.";
        }
        return $this;
    }
}
