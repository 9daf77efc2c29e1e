<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Exception\WebhookException;
use Freebets\Model\Event;

final class Webhook
{
    /**
     * Returns the event if it is genuine and recent; throws a `WebhookException` otherwise. Events may arrive more than
     * once: ignore an `event_id` that you have processed.
     *
     *     $body = file_get_contents('php://input');
     *     $event = Webhook::verify($body, getallheaders(), $secret, $_SERVER['REQUEST_URI']);
     *
     * @param mixed $rawBody the body as it arrived, never parsed and serialized again
     * @param array<string, string|list<string>> $headers by their names, as `getallheaders()` or PSR-7 have them
     * @param string|list<string> $secrets your secret, or both while you rotate it
     * @param string|null $path the path of the request with its query; needed if your signing is strict
     * @param int $toleranceS the oldest event that is accepted, in seconds
     * @param int|null $now your time in Unix seconds; null for the clock
     * @param bool $allowUntimed accepts a plain `X-REQUEST-SIGN` without `webhook-signature`: it covers no time, so
     *     only `event_id` tells an old event from a new one
     *
     * @throws WebhookException if the event is not genuine
     */
    public static function verify(
        mixed $rawBody,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        ?string $path = null,
        int $toleranceS = 300,
        ?int $now = null,
        bool $allowUntimed = false,
    ): Event {
        self::requireArguments($rawBody, (array) $secrets);
        $check = new self((array) $secrets, $headers, $now ?? time(), $toleranceS);
        $isStandard = $check->standard($rawBody);
        $isTimed = $check->signed($rawBody, $path, $isStandard);
        if (!$isStandard && !$isTimed && !$allowUntimed) {
            $message = 'webhook-signature is missing, and X-REQUEST-SIGN alone covers no time.';
            throw new WebhookException('wrong_time', $message);
        }
        $event = ResponseReader::objectIn($rawBody);
        if (!isset($event['event_id'], $event['sequence'], $event['type'])) {
            throw new WebhookException('not_an_event', 'The signature is right, but the body is not an event.');
        }
        return new Event($event);
    }

    /** @param list<mixed> $secrets */
    private static function requireArguments(mixed $rawBody, #[\SensitiveParameter] array $secrets): void
    {
        if (!is_string($rawBody)) {
            throw new \TypeError("Give the body as it arrived, a string: file_get_contents('php://input').");
        }
        foreach ($secrets as $secret) {
            if (!is_string($secret) || $secret === '') {
                throw new \InvalidArgumentException('A secret is empty: anyone could sign with it.');
            }
        }
    }

    /** @var array<string, string> by their names in lower case */
    private readonly array $headers;

    /** @param list<string> $secrets */
    private function __construct(
        #[\SensitiveParameter] private readonly array $secrets,
        array $headers,
        private readonly int $now,
        private readonly int $toleranceS,
    ) {
        $joined = static fn (mixed $value): string => implode(', ', (array) $value);
        $this->headers = array_map($joined, array_change_key_case($headers));
    }

    /** Checks `webhook-signature`; false if there is none. */
    private function standard(string $rawBody): bool
    {
        $signatures = $this->headers['webhook-signature'] ?? null;
        if ($signatures === null) {
            return false;
        }
        $time = $this->recentTime('webhook-timestamp');
        $content = ($this->headers['webhook-id'] ?? '') . ".$time.$rawBody";
        $encode = static fn (string $digest): string => 'v1,' . base64_encode($digest);
        $this->requireOne('webhook-signature', explode(' ', $signatures), $content, $encode);
        return true;
    }

    /** Checks `X-REQUEST-SIGN`, which may be missing if `webhook-signature` was right; true if it covers a time. */
    private function signed(string $rawBody, ?string $path, bool $isStandard): bool
    {
        $signatures = array_intersect_key($this->headers, ['x-request-sign' => 1, 'x-request-sign-previous' => 1]);
        if ($signatures === []) {
            return $isStandard ? false : throw new WebhookException(
                'missing_signature',
                'Neither webhook-signature nor X-REQUEST-SIGN is present.',
            );
        }
        $isTimed = isset($this->headers[strtolower(Signature::TIME_HEADER)]);
        $time = $isTimed ? $this->recentTime(Signature::TIME_HEADER) : null;
        if ($isTimed && $path === null) {
            return $isStandard ? true : throw new WebhookException(
                'path_needed',
                'X-REQUEST-SIGN covers the path of the request: pass it as $path.',
            );
        }
        $content = ($time === null ? '' : "$time\n$path\n") . $rawBody;
        $this->requireOne(Signature::HEADER, array_map('strtolower', $signatures), $content, 'bin2hex');
        return $isTimed;
    }

    private function recentTime(string $header): string
    {
        $value = $this->headers[strtolower($header)] ?? '';
        if (!preg_match('/^\d{1,15}\z/', $value) || abs($this->now - (int) $value) > $this->toleranceS) {
            throw new WebhookException('wrong_time', "$header is missing or too far from the current time.");
        }
        return $value;
    }

    /** @param array<array-key, string> $signatures */
    private function requireOne(string $header, array $signatures, string $content, callable $encode): void
    {
        foreach ($this->secrets as $secret) {
            $right = $encode(hash_hmac('sha256', $content, $secret, true));
            foreach ($signatures as $signature) {
                if (hash_equals($right, $signature)) {
                    return;
                }
            }
        }
        throw new WebhookException('wrong_signature', "$header is wrong: another secret, or a body that was changed.");
    }
}
