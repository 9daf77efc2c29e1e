<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\GameListResponse;

final class GameService extends Service
{
    /**
     * List the games: `/Game/List`.
     *
     * The games offered to this partner. Compressed when you accept it; send the `ETag` back as `If-None-Match`
     * and an unchanged list is answered with 304 and no body.
     *
     * Example:
     *
     *     $result = $partner->games->list();
     *
     * @param array{} $request
     *
     * @throws FreebetsException
     */
    public function list(array $request = [], ?CallOptions $options = null): GameListResponse
    {
        return $this->caller->call('games.list', $request, $options, GameListResponse::class);
    }
}
