<?php

declare(strict_types=1);

namespace Freebets;

/**
 * Retries of a batch send only the items that the service could not process, and put their results in their places.
 *
 * @internal
 */
final class Batch
{
    /** @return array<string, mixed>|null the request for the items that a response leaves open, if there are any */
    public static function remaining(array $operation, array $request, array $response): ?array
    {
        if (!isset($operation['each']) || !empty($request['dry_run'])) {
            return null;
        }
        $results = self::resultsOf($response);
        $items = $request[$operation['each']];
        // A collection of a framework is sent as the array that it is serialized to.
        $items = is_array($items) ? $items : json_decode((string) json_encode($items), true);
        if (count($results) !== count($items)) {
            return null;
        }
        $items = array_values($items);
        $isOpen = static fn (int $i): bool => self::isOpen($results[$i]);
        $rest = array_values(array_filter($items, $isOpen, ARRAY_FILTER_USE_KEY));
        return $rest === [] ? null : [...$request, $operation['each'] => $rest];
    }

    /** @return array<string, mixed> the response with the results of the next one in the places that it left open */
    public static function merged(?array $response, array $next): array
    {
        if ($response === null) {
            return $next;
        }
        $later = self::resultsOf($next);
        foreach (self::resultsOf($response) as $i => $one) {
            if (self::isOpen($one)) {
                $response['results'][$i] = array_shift($later) ?? $one;
            }
        }
        return $response;
    }

    private static function resultsOf(array $response): array
    {
        return is_array($response['results'] ?? null) ? $response['results'] : [];
    }

    /** The service could not process this item, or did and lost the confirmation. */
    private static function isOpen(mixed $result): bool
    {
        return in_array($result['error']['error'] ?? null, [ErrorName::UNAVAILABLE, ErrorName::INTERNAL_ERROR], true);
    }
}
