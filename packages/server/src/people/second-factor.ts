import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// The second factor: time-based codes of six digits (TOTP, RFC 6238, SHA-1, 30 seconds), as authenticator apps generate
// them.

const stepMs = 30_000;
const digits = 6;
const secretBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** In base32, as apps expect it. */
export const newTotpSecret = (): string => base32(randomBytes(secretBytes));

export const stepAt = (ms: number): number => Math.floor(ms / stepMs);

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export const isTotpForm = (code: string): boolean => /^\d{6}$/.test(code);

/**
 * The time step that the code belongs to: the current one, the one before or the one after. Undefined if the code fits
 * none of them.
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | undefined {
  if (!isTotpForm(code)) return undefined;
  const step = stepAt(nowMs);
  // Compares all three, so that the response time reveals nothing.
  const matching = [step - 1, step, step + 1].filter((each) =>
    timingSafeEqual(Buffer.from(totpCode(secret, each)), Buffer.from(code)),
  );
  return matching.at(-1);
}

/** The URI of the QR code that an app scans. */
export function totpUri(email: string, secret: string): string {
  const parameters = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: String(digits), period: '30' });
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?${parameters}`;
}

const issuer = 'Freebets';

/** The owner that a sealed secret is bound to. */
export const ownerOfTotp = (staffId: string): string => `staff ${staffId}`;
