<?php

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\Caller;

abstract class Service
{
    /** @internal */
    final public function __construct(protected readonly Caller $caller)
    {
    }
}
