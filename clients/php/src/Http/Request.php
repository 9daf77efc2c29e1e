<?php

declare(strict_types=1);

namespace Freebets\Http;

/** One attempt of a call. It is always a POST. */
final class Request
{
    /**
     * @param array<string, string> $headers
     * @param float $timeoutS how long the attempt may take
     * @param bool $isRepeatable false if the transport must never send the request twice, even after a lost connection
     */
    public function __construct(
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        public readonly float $timeoutS,
        public readonly bool $isRepeatable = true,
    ) {
    }
}
