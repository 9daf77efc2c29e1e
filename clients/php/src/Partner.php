<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Http\Transport;
use Psr\Log\LoggerInterface;

/**
 * An operator platform.
 *
 *     $partner = new Partner('https://freebets.example.com', 1, $secret);
 *     $freeBet = $partner->freeBets->issue(['campaign_id' => 'a', 'player_id' => 'player-1', 'currency' => 'EUR']);
 */
final class Partner extends Client
{
    public readonly Service\CampaignService $campaigns;
    public readonly Service\FreeBetService $freeBets;
    public readonly Service\JobService $jobs;
    public readonly Service\GameService $games;
    public readonly Service\EventService $events;
    public readonly Service\SandboxService $sandbox;

    /**
     * @param string $baseUrl the address of the service, with or without `/v3` at the end
     * @param int $clientId your `client_id`
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
        int $clientId,
        #[\SensitiveParameter] string $secret,
        string $signing = 'plain',
        int $maxRetries = 2,
        float $attemptTimeoutS = 10,
        float $deadlineS = 30,
        ?Transport $transport = null,
        LoggerInterface|\Closure|null $logger = null,
        ?string $appInfo = null,
    ) {
        $identity = ['client_id' => $clientId];
        $defaults = new CallOptions($maxRetries, $attemptTimeoutS, $deadlineS);
        $caller = self::caller($baseUrl, $identity, $secret, $signing, $defaults, $transport, $logger, $appInfo);
        $this->campaigns = new Service\CampaignService($caller);
        $this->freeBets = new Service\FreeBetService($caller);
        $this->jobs = new Service\JobService($caller);
        $this->games = new Service\GameService($caller);
        $this->events = new Service\EventService($caller);
        $this->sandbox = new Service\SandboxService($caller);
    }
}
