export const isLong = process.env.FREEBETS_TEST_LONG === '1';

/** Modest counts in "npm test", large ones with --long, as in "npm run test:long". */
export const times = (modest: number, large: number): number => (isLong ? large : modest);
