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
     * Returns the games offered to this partner. The response is compressed if you accept that, and has an `ETag`.
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
