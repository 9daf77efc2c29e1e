<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The request is not valid. `details` lists every field that is wrong. */
final class ValidationException extends FreebetsException
{
}
