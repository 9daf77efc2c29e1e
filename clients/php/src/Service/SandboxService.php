<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\FreeBetWithBets;
use Freebets\Model\SandboxClockGetResponse;
use Freebets\Model\SandboxClockSetResponse;

final class SandboxService extends Service
{
    /**
     * Read the clock of a sandbox: `/Sandbox/Clock/Get`.
     *
     * What time it is for this partner, and by how much that is later than in the world.
     *
     * Example:
     *
     *     $result = $partner->sandbox->clockGet();
     *
     * @param array{} $request
     *
     * @throws FreebetsException
     */
    public function clockGet(array $request = [], ?CallOptions $options = null): SandboxClockGetResponse
    {
        return $this->caller->call('sandbox.clockGet', $request, $options, SandboxClockGetResponse::class);
    }

    /**
     * Set the clock of a sandbox: `/Sandbox/Clock/Set`.
     *
     * Forward only, by at most two years at a time, and never past 2100. From then on the clock runs on from
     * there. Whatever time decides for this partner follows at once, and what has expired on the way is told
     * within two seconds, in its order.
     *
     * Fields of the request:
     * - `now` (required): ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond.
     *
     * Example:
     *
     *     $result = $partner->sandbox->clockSet(['now' => '2027-01-03T18:00:00.000Z']);
     *
     * @param array{now: string} $request
     *
     * @throws FreebetsException
     */
    public function clockSet(array $request, ?CallOptions $options = null): SandboxClockSetResponse
    {
        return $this->caller->call('sandbox.clockSet', $request, $options, SandboxClockSetResponse::class);
    }

    /**
     * Play a round: `/Sandbox/Round`.
     *
     * One round of the provider of the game, as `/Rounds/Bet` and then `/Rounds/Settle` or `/Rounds/Rollback`
     * would do it, in the first game of the free bet unless another is named. The `coefficient` of a win comes at
     * the end of the round, as in a crash game. Every call plays a round of its own: a repeated one plays another.
     *
     * Fields of the request:
     * - `issue_id` (required): The free bet: a UUID of any version, in any case; answered in lower case.
     * - `game_id` (optional): A game, by its `id` in the game list: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `result` (required)
     * - `coefficient` (required in the form “Won”): Odds or multiplier, at least 1, with up to four decimals, such
     *   as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     *
     * Example:
     *
     *     $result = $partner->sandbox->round([
     *         'issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e02',
     *         'result' => 'won',
     *         'coefficient' => '2.00',
     *     ]);
     *
     * @param array{
     *     issue_id: string,
     *     game_id?: string,
     *     result: 'won',
     *     coefficient: string,
     * }|array{
     *     issue_id: string,
     *     game_id?: string,
     *     result: 'lost'|'rolled_back',
     * } $request
     *
     * @throws FreebetsException
     */
    public function round(array $request, ?CallOptions $options = null): FreeBetWithBets
    {
        return $this->caller->call('sandbox.round', $request, $options, FreeBetWithBets::class);
    }
}
