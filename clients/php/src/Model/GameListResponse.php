<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Game/List`.
 *
 * @property-read list<array{
 *     name: string,
 *     currencies: list<string>,
 *     games: list<array{
 *         id: string,
 *         title: string,
 *         category: string,
 *         promoTypes: list<string>,
 *         images: array{landscape: string, portrait: string, square: string},
 *     }>,
 * }> $providers
 * @property-read array{
 *     base_url: string,
 *     presets: array{
 *         game: array{
 *             landscape: array{width: string, height: string},
 *             portrait: array{width: string, height: string},
 *             square: array{width: string, height: string},
 *         },
 *     },
 * } $image_assets
 */
final class GameListResponse extends Result
{
}
