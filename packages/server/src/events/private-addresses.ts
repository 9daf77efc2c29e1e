import type { Config } from '../config.ts';

/** The embedded database is for trying things out on one machine. */
export const arePrivateAddressesAllowed = (config: Config): boolean =>
  (config.WEBHOOK_ALLOW_PRIVATE ?? (config.DATABASE_URL === undefined ? 'yes' : 'no')) === 'yes';
