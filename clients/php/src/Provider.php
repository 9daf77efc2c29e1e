<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Http\Transport;
use Psr\Log\LoggerInterface;

/**
 * A game provider.
 *
 *     $provider = new Provider('https://freebets.example.com', 'lantern-quay', $secret);
 *     $bet = $provider->rounds->get(['client_id' => 1, 'bet_id' => $betId]);
 */
final class Provider extends Client
{
    public readonly Service\RoundService $rounds;

    /**
     * @param string $baseUrl the address of the service, with or without `/v3` at the end
     * @param string $providerId your `provider_id`
     * @param string $secret your secret, as you received it
     * @param 'plain'|'strict' $signing `strict` also signs the time and the path; it needs a correct clock
     * @param int $maxRetries how often a failed request is sent again at most; 0 for never
     * @param float $attemptTimeoutS the timeout of one attempt in seconds
     * @param float $deadlineS the timeout of a call in seconds, with all attempts and pauses
     * @param Transport|null $transport sends the requests; curl by default, or streams if PHP has no curl
     * @param LoggerInterface|\Closure|null $logger a PSR-3 logger, or a function with the parameters
     *     `(string $level, string $message, array $context)`; it never gets secrets, signatures or bodies
     * @param string|null $appInfo added to the `User-Agent` header, such as `my-shop/2.1`
     */
    public function __construct(
        string $baseUrl,
        string $providerId,
        #[\SensitiveParameter] string $secret,
        string $signing = 'plain',
        int $maxRetries = 2,
        float $attemptTimeoutS = 10,
        float $deadlineS = 30,
        ?Transport $transport = null,
        LoggerInterface|\Closure|null $logger = null,
        ?string $appInfo = null,
    ) {
        $identity = ['provider_id' => $providerId];
        $defaults = new CallOptions($maxRetries, $attemptTimeoutS, $deadlineS);
        $caller = self::caller($baseUrl, $identity, $secret, $signing, $defaults, $transport, $logger, $appInfo);
        $this->rounds = new Service\RoundService($caller);
    }
}
