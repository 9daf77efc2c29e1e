<?php

declare(strict_types=1);

namespace Freebets;

use Freebets\Exception\FreebetsException;
use Freebets\Http\Response;

/** @internal */
final class ResponseReader
{
    /**
     * Returns the fields of a successful response, and throws the exception for any other.
     *
     * @param list<string> $has fields that every response of the operation has
     * @return array<string, mixed>
     */
    public static function read(Response $response, array $has): array
    {
        $body = self::objectIn($response->body);
        if ($response->status === 200 && $body !== null && self::isResponse($has, $body)) {
            return $body;
        }
        throw self::exception($response, $body ?? []);
    }

    /** @return array<string, mixed>|null the JSON object in a text; null for anything else */
    public static function objectIn(string $text): ?array
    {
        $value = json_decode($text, true);
        // PHP decodes an empty object and an empty list to the same array.
        return is_array($value) && str_starts_with(ltrim($text), '{') ? $value : null;
    }

    /** Something else may return an object too. An empty response of the service may have only the field `dry_run`. */
    private static function isResponse(array $has, array $body): bool
    {
        $known = array_flip($has === [] ? ['dry_run'] : $has);
        return $has === [] ? array_diff_key($body, $known) === [] : array_diff_key($known, $body) === [];
    }

    private static function exception(Response $response, array $body): FreebetsException
    {
        $status = $response->status;
        $requestId = $response->headers['x-request-id'] ?? null;
        $retryAfterS = self::retryAfterS($response->headers['retry-after'] ?? null);
        if ($status === 200 || !is_string($body['error'] ?? null) || !is_int($body['code'] ?? null)) {
            $error = ErrorName::UNREADABLE_ANSWER;
            $message = "The response with status $status did not come from the Freebets service.";
            $class = FreebetsException::classFor($error, $status);
            return new $class($error, $message, $status, requestId: $requestId, retryAfterS: $retryAfterS);
        }
        $text = static fn (string $field): ?string => is_string($body[$field] ?? null) ? $body[$field] : null;
        $isDetail = static fn (mixed $one): bool => is_string($one['field'] ?? null)
            && is_string($one['reason'] ?? null);
        $details = $body['details'] ?? null;
        $class = FreebetsException::classFor($body['error'], $status);
        return new $class(
            $body['error'],
            $text('message') ?? '',
            $status,
            $body['code'],
            is_array($details) ? array_values(array_filter($details, $isDetail)) : [],
            $text('request_id') ?? $requestId,
            $retryAfterS,
            $text('doc_url'),
        );
    }

    /** Reads seconds, or a date that begins with a weekday. `strtotime` would accept other text too. */
    private static function retryAfterS(?string $value): ?float
    {
        if ($value === null || !preg_match('/^(\d+$|[A-Z][a-z]+,? .+:)/', $value)) {
            return null;
        }
        if (ctype_digit($value)) {
            return (float) $value;
        }
        $at = strtotime($value);
        return $at === false ? null : max(0.0, $at - microtime(true));
    }
}
