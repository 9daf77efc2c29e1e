<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** Too many requests. Nothing was done; wait for `retryAfterS` seconds. */
final class RateLimitException extends FreebetsException
{
}
