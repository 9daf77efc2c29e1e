<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The id of the caller, its secret or the signature is wrong, or the caller is disabled. */
final class AuthenticationException extends FreebetsException
{
}
