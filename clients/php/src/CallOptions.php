<?php

declare(strict_types=1);

namespace Freebets;

/**
 * The options of one call; null means the option of the client.
 *
 *     $partner->games->list([], new CallOptions(deadlineS: 2));
 */
final class CallOptions
{
    /**
     * @param int|null $maxRetries how often a failed request is sent again at most; 0 for never
     * @param float|null $attemptTimeoutS the timeout of one attempt in seconds
     * @param float|null $deadlineS the timeout of the call in seconds, with all attempts and pauses
     * @param string|null $requestId your id for this call in the logs of the service: 1 to 64
     *     letters, digits, dots, underscores and hyphens
     */
    public function __construct(
        public readonly ?int $maxRetries = null,
        public readonly ?float $attemptTimeoutS = null,
        public readonly ?float $deadlineS = null,
        public readonly ?string $requestId = null,
    ) {
        if ($maxRetries !== null && $maxRetries < 0) {
            throw new \InvalidArgumentException('maxRetries must be 0 or more.');
        }
        if ($requestId !== null && !preg_match('/^[A-Za-z0-9._-]{1,64}\z/', $requestId)) {
            $form = '1 to 64 letters, digits, dots, underscores and hyphens';
            throw new \InvalidArgumentException("requestId must be $form.");
        }
        foreach (['attemptTimeoutS' => $attemptTimeoutS, 'deadlineS' => $deadlineS] as $name => $seconds) {
            if ($seconds !== null && !($seconds > 0)) {
                throw new \InvalidArgumentException("$name must be more than 0.");
            }
        }
    }
}
