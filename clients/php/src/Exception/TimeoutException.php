<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** No complete response arrived in time. */
final class TimeoutException extends ConnectionException
{
}
