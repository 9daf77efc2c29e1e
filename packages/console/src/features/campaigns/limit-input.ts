/** A field for a limit: how many free bets, or nothing. */
export const limitInput = { min: 1, max: 2_147_483_647, thousandSeparator: ' ' } as const;
