<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The state of the object does not allow the call, or the id was used with other content. */
final class ConflictException extends FreebetsException
{
}
