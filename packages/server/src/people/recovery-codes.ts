import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './second-factor.ts';

// One-time codes for signing in without the device of the second factor. They have 80 random bits, so a plain hash is
// safe.

const count = 10;
const codeBytes = 10;

/** Such as `K3VN-2QXA-7TJM-PLWD`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => (base32(randomBytes(codeBytes)).match(/.{4}/g) ?? []).join('-'));

/** Ignores case and the separators between the groups. */
export const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256')
    .update(code.toUpperCase().replace(/[^A-Z2-7]/g, ''))
    .digest();
