import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import type { MasterKey } from '../primitives/sealing.ts';
import { findOpenTokens } from './sql/sessions.ts';

// Tokens of sessions and invitations: 16 random bytes, then the first 16 bytes of an HMAC over them. Its key is
// derived from the master key, which all servers of an installation share, so any server rejects a forged token
// without a query. The HMAC grants nothing by itself: the database still decides, and it stores only the SHA-256 of a
// token.

export type TokenKind = 'session' | 'invitation';

const randomPart = 16;
const macPart = 16;
/** How many open sessions, and how many open invitations, a server reads at its start. */
const maxEarlier = 10_000;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

const macKeys = new WeakMap<MasterKey, Buffer[]>();

/** One for each master key, in the same order. */
function macKeysOf(masterKey: MasterKey): Buffer[] {
  const known = macKeys.get(masterKey);
  if (known !== undefined) return known;
  const derived = masterKey.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'freebets console tokens', 32)));
  macKeys.set(masterKey, derived);
  return derived;
}

const macOf = (key: Buffer, kind: TokenKind, random: Buffer): Buffer =>
  createHmac('sha256', key).update(`${kind} `).update(random).digest().subarray(0, macPart);

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Creates a token under the first master key. */
export function newToken(masterKey: MasterKey, kind: TokenKind): string {
  const random = randomBytes(randomPart);
  return Buffer.concat([random, macOf(macKeysOf(masterKey)[0] as Buffer, kind, random)]).toString('base64url');
}

/** A token without an HMAC, for a value that is stored before it is looked up. */
export const randomToken = (): string => randomBytes(randomPart + macPart).toString('base64url');

export interface TokenCheck {
  /** False for a forged token. A token that passes may have expired. */
  isGenuine(kind: TokenKind, token: string): boolean;
}

/**
 * Accepts an HMAC under any of the master keys, and the tokens that are open when a server starts: those may be older
 * than the HMAC, or made under a master key that was removed since.
 */
export async function readTokenCheck(connection: Connection, masterKey: MasterKey): Promise<TokenCheck> {
  const keys = macKeysOf(masterKey);
  const earlier = await ask(connection, findOpenTokens(maxEarlier));
  const hashes = new Set(earlier.map((hash) => hash.toString('hex')));
  return {
    isGenuine(kind, token) {
      if (!tokenForm.test(token)) return false;
      const bytes = Buffer.from(token, 'base64url');
      const [random, mac] = [bytes.subarray(0, randomPart), bytes.subarray(randomPart)];
      return keys.some((key) => timingSafeEqual(macOf(key, kind, random), mac)) || hashes.has(hashHex(token));
    },
  };
}

const hashHex = (token: string): string => hashToken(token).toString('hex');
