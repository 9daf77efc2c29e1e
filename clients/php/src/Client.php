<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Http\CurlTransport;
use Freebets\Http\StreamTransport;
use Freebets\Http\Transport;

/** What partners and game providers have in common. Use `Partner` or `Provider`. */
abstract class Client
{
    public const VERSION = '0.2.0';

    /**
     * @param array{client_id: int}|array{provider_id: string} $identity
     *
     * @internal
     */
    protected static function caller(
        string $baseUrl,
        array $identity,
        #[\SensitiveParameter] string $secret,
        string $signing,
        CallOptions $defaults,
        ?Transport $transport,
        ?object $logger,
        ?string $appInfo,
    ): Caller {
        if ($secret === '') {
            throw new \InvalidArgumentException('The secret is empty.');
        }
        if (!in_array($signing, ['plain', 'strict'], true)) {
            throw new \InvalidArgumentException("signing must be 'plain' or 'strict'.");
        }
        if ($appInfo !== null && !preg_match('/^[\x20-\x7e]+\z/', $appInfo)) {
            throw new \InvalidArgumentException('appInfo must be printable ASCII.');
        }
        $transport ??= extension_loaded('curl') ? new CurlTransport() : new StreamTransport();
        $base = self::baseOf($baseUrl);
        $log = match (true) {
            $logger === null => null,
            $logger instanceof \Closure => $logger,
            default => $logger->log(...),
        };
        return new Caller($base, $identity, $secret, $signing, $defaults, $transport, $log, $appInfo);
    }

    private static function baseOf(string $baseUrl): string
    {
        $address = parse_url($baseUrl) ?: [];
        $isHttp = in_array($address['scheme'] ?? '', ['http', 'https'], true) && isset($address['host']);
        if (!$isHttp || isset($address['user']) || isset($address['query'])) {
            // The message does not repeat the address, which may contain a password.
            $wanted = 'an address such as https://freebets.example.com, without a user or a query';
            throw new \InvalidArgumentException("baseUrl must be $wanted.");
        }
        return (string) preg_replace('~(/v3)?/*(#.*)?$~', '', $baseUrl);
    }
}
