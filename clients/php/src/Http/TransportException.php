<?php

declare(strict_types=1);

namespace Freebets\Http;

/** No complete response arrived. */
final class TransportException extends \RuntimeException
{
    /**
     * @param bool $wasSent false only if no byte of the request was sent, so that it is always safe to send it again
     */
    public function __construct(
        string $message,
        public readonly bool $wasSent = true,
        public readonly bool $isTimeout = false,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
