<?php

declare(strict_types=1);

namespace Freebets\Http;

/** The default transport. It keeps connections open between calls. */
final class CurlTransport implements Transport
{
    private ?\CurlHandle $handle = null;
    private int $processId = 0;
    /** @var list<\CurlHandle> */
    private static array $inherited = [];

    public function name(): string
    {
        return 'curl/' . curl_version()['version'];
    }

    public function send(Request $request): Response
    {
        $handle = $this->handle();
        $status = 0;
        $headers = [];
        curl_reset($handle);
        curl_setopt_array($handle, $this->options($request) + [
            CURLOPT_HEADERFUNCTION => function ($handle, string $line) use (&$status, &$headers): int {
                if (preg_match('~^HTTP/\S+ (\d{3})\b~', $line, $found) === 1) {
                    // The response of a proxy, or an interim one such as 100, may come first.
                    [$status, $headers] = [(int) $found[1], []];
                } elseif (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $headers[strtolower($name)] = trim($value);
                }
                return strlen($line);
            },
        ]);
        $body = curl_exec($handle);
        if ($body === false) {
            // Without a byte sent, the name was unknown, the connection refused or the certificate not trusted.
            $wasSent = curl_getinfo($handle, CURLINFO_REQUEST_SIZE) !== 0;
            $isTimeout = curl_errno($handle) === CURLE_OPERATION_TIMEDOUT;
            throw new TransportException(curl_error($handle), $wasSent, $isTimeout);
        }
        return new Response($status, $headers, (string) $body);
    }

    /** @return array<int, mixed> */
    private function options(Request $request): array
    {
        $lines = [];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        return [
            CURLOPT_URL => $request->url,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $request->body,
            // Without "Expect: 100-continue", which would cost a round trip.
            CURLOPT_HTTPHEADER => [...$lines, 'Expect:'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_ENCODING => '',
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($request->timeoutS * 1000)),
            CURLOPT_NOSIGNAL => true,
            // curl sends a request again by itself if an open connection turns out to be closed.
            CURLOPT_FRESH_CONNECT => !$request->isRepeatable,
        ];
    }

    private function handle(): \CurlHandle
    {
        $processId = (int) getmypid();
        if ($this->handle !== null && $this->processId !== $processId) {
            // After a fork the parent process still uses the connections, so they must not be closed here.
            self::$inherited[] = $this->handle;
            $this->handle = null;
        }
        $this->processId = $processId;
        return $this->handle ??= curl_init();
    }
}
