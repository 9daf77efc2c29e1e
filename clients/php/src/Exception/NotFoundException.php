<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The object does not exist, or belongs to another partner. */
final class NotFoundException extends FreebetsException
{
}
