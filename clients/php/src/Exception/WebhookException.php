<?php

declare(strict_types=1);

namespace Freebets\Exception;

/** The event is not genuine. Respond with 401, or with 400 if `reason` is `not_an_event`. */
final class WebhookException extends \RuntimeException
{
    /**
     * @param 'missing_signature'|'wrong_signature'|'wrong_time'|'path_needed'|'not_an_event' $reason
     *
     * @internal
     */
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
