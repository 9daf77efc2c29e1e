<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** No complete response arrived: connection refused or lost, unknown host, untrusted certificate. */
class ConnectionException extends FreebetsException
{
}
