<?php

declare(strict_types=1);

namespace Freebets;

final class Signature
{
    public const HEADER = 'X-REQUEST-SIGN';
    public const TIME_HEADER = 'X-REQUEST-TIME';

    /**
     * The value of `X-REQUEST-SIGN` for a body. With a time and a path, the signature covers them too (strict signing).
     *
     *     $signature = Signature::sign($secret, $body, (string) time(), '/v3/FreeBets/Issue');
     */
    public static function sign(
        #[\SensitiveParameter] string $secret,
        string $body,
        ?string $time = null,
        string $path = '',
    ): string {
        return hash_hmac('sha256', ($time === null ? '' : "$time\n$path\n") . $body, $secret);
    }
}
