<?php

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\Operations;

final class JobParts
{
    /** A body has 1 MiB; this leaves room for the fields around the items. */
    private const MAX_BYTES = 1024 * 1024 - 1024;

    /**
     * Divides the items of a job into the parts that `jobs->add` takes, by their number and size.
     *
     * @param iterable<mixed> $items
     * @return \Generator<int, list<mixed>>
     */
    public static function of(iterable $items): \Generator
    {
        $part = [];
        $bytes = 0;
        foreach ($items as $item) {
            // With the comma after it.
            $size = strlen(json_encode($item, JSON_THROW_ON_ERROR)) + 1;
            if (count($part) === Operations::ITEMS_OF_PART || ($part !== [] && $bytes + $size > self::MAX_BYTES)) {
                yield $part;
                $part = [];
                $bytes = 0;
            }
            $part[] = $item;
            $bytes += $size;
        }
        if ($part !== []) {
            yield $part;
        }
    }
}
