<?php

declare(strict_types=1);

namespace Freebets\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * Sends requests with your PSR-18 client, such as Guzzle or Symfony HttpClient. Set the timeout there, and turn off its
 * redirects and retries: this package retries by itself and knows which calls must not be sent twice.
 *
 * A client that uses curl resends a request by itself if an open connection turns out to be closed. Only the calls
 * without an id, such as `campaigns->pause`, could then be carried out twice. `CurlTransport` prevents it.
 *
 *     $factory = new GuzzleHttp\Psr7\HttpFactory();
 *     $transport = new Psr18Transport(new GuzzleHttp\Client(['timeout' => 10]), $factory, $factory);
 */
final class Psr18Transport implements Transport
{
    /** PSR-18 does not report whether a request was sent, but the messages of curl and PHP do. */
    private const UNSENT = '/cURL error (6|7|35|60)\b|Connection refused|Could not resolve|Failed to connect/i';

    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function name(): string
    {
        return 'psr-18';
    }

    public function send(Request $request): Response
    {
        $message = $this->requests->createRequest('POST', $request->url)
            ->withBody($this->streams->createStream($request->body));
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        try {
            $response = $this->client->sendRequest($message);
            $body = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            $reason = $error->getMessage();
            $isTimeout = preg_match('/cURL error 28\b|timed? ?out/i', $reason) === 1;
            throw new TransportException($reason, preg_match(self::UNSENT, $reason) !== 1, $isTimeout, $error);
        }
        $headers = array_map(static fn (array $all): string => implode(', ', $all), $response->getHeaders());
        $headers = array_change_key_case($headers);
        $length = isset($headers['content-encoding']) ? null : ($headers['content-length'] ?? null);
        if ($length !== null && strlen($body) !== (int) $length) {
            throw new TransportException('The response is incomplete.');
        }
        return new Response($response->getStatusCode(), $headers, $body);
    }
}
