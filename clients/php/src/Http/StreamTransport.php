<?php

declare(strict_types=1);

namespace Freebets\Http;

/** Sends requests with the streams of PHP, for installations without the curl extension. */
final class StreamTransport implements Transport
{
    /** PHP's messages if the connection or the TLS handshake failed: then nothing was sent. */
    private const UNSENT =
        '/failed to open stream: (Connection refused|operation failed|php_network_getaddresses: .*)$/i';

    public function name(): string
    {
        return 'streams';
    }

    public function send(Request $request): Response
    {
        $endS = hrtime(true) / 1e9 + $request->timeoutS;
        $stream = $this->open($request, $endS);
        try {
            $lines = stream_get_meta_data($stream)['wrapper_data'] ?? [];
            $headers = [];
            foreach (array_slice($lines, 1) as $line) {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
            }
            $length = isset($headers['content-length']) ? (int) $headers['content-length'] : null;
            $body = $this->read($stream, $endS, $length);
        } finally {
            fclose($stream);
        }
        // PHP does not report that a body was cut off.
        $isWhole = $length === null || strlen($body) === $length;
        if (!$isWhole || preg_match('~^HTTP/\S+ (\d{3})\b~', $lines[0] ?? '', $found) !== 1) {
            throw new TransportException('The response is incomplete, or is not HTTP.');
        }
        return new Response((int) $found[1], $headers, $body);
    }

    /** @return resource */
    private function open(Request $request, float $endS)
    {
        $lines = ['Connection: close'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => $lines,
            'content' => $request->body,
            'timeout' => max(0.001, $request->timeoutS),
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ]]);
        error_clear_last();
        $stream = @fopen($request->url, 'r', false, $context);
        if ($stream === false) {
            $reason = error_get_last()['message'] ?? '';
            $wasSent = preg_match(self::UNSENT, $reason) !== 1;
            // PHP rounds a timeout down to milliseconds.
            throw new TransportException($reason, $wasSent, hrtime(true) / 1e9 >= $endS - 0.01);
        }
        return $stream;
    }

    /**
     * Reads up to the length, because a server may keep the connection open.
     *
     * @param resource $stream
     */
    private function read($stream, float $endS, ?int $length): string
    {
        $body = '';
        while (($length === null || strlen($body) < $length) && !feof($stream)) {
            $leftS = max(0.001, $endS - hrtime(true) / 1e9);
            stream_set_timeout($stream, (int) $leftS, (int) (fmod($leftS, 1) * 1e6));
            $read = fread($stream, min(65536, ($length ?? PHP_INT_MAX) - strlen($body)));
            if (stream_get_meta_data($stream)['timed_out'] || hrtime(true) / 1e9 >= $endS) {
                throw new TransportException('The response did not arrive in time.', true, true);
            }
            if ($read === false) {
                throw new TransportException('The response could not be read.');
            }
            $body .= $read;
        }
        return $body;
    }
}
