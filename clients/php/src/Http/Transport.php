<?php

declare(strict_types=1);

namespace Freebets\Http;

/** Sends requests. It must not follow redirects: the signed request would reach another address. */
interface Transport
{
    /** @throws TransportException if no complete response arrives */
    public function send(Request $request): Response;

    /** The name and version for the `User-Agent` header, such as `curl/8.5.0`. */
    public function name(): string;
}
