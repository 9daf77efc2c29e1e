<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The service, or a proxy in front of it, failed with a status of 500 or more. */
final class ServerException extends FreebetsException
{
}
