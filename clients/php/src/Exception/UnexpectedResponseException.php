<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The response did not come from the service, but perhaps from a proxy or from another program. */
final class UnexpectedResponseException extends FreebetsException
{
}
