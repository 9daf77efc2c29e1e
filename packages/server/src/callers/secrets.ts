import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// Secrets at rest: AES-256-GCM under the master key, as nonce, tag, ciphertext. The name of the owner is authenticated
// with it, so that a row copied over another caller's opens for nobody.

const nonceBytes = 12;
const tagBytes = 16;

export const masterKeyBytes = 32;

/** At least 32 random bytes, in an alphabet that survives every shell and configuration file. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

export function sealSecret(masterKey: Buffer, owner: string, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined when the key is not the one it was sealed with, or anything was changed. */
export function openSecret(masterKey: Buffer, owner: string, sealed: Buffer): string | undefined {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  try {
    const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
    return decipher.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

export const ownerOf = (kind: 'partner' | 'provider', id: number | string): string => `${kind} ${id}`;
