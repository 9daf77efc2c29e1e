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
     * Returns the time of this partner, and how far it is ahead of the real time.
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
     * Moves the clock forward, by at most two years at a time, and never past 2100. The clock continues from
     * there. Everything that depends on time follows at once. Expiry events are emitted within two seconds, in
     * order.
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
     * Plays one round as the game provider would, with `/Rounds/Bet` and then `/Rounds/Settle` or
     * `/Rounds/Rollback`. The game is the first one of the free bet if `game_id` is absent. The `coefficient` of a
     * win applies at the end of the round, as in a crash game. Every call plays a new round, also a repeated one.
     *
     * Fields of the request:
     * - `issue_id` (required): The id of the free bet: a UUID of any version, in upper or lower case; returned in
     *   lower case.
     * - `game_id` (optional): The `id` of the game in the game list: 1 to 128 printable characters, none of
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
