import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

// Secrets at rest: AES-256-GCM under the master key, stored as nonce, tag and ciphertext. The owner's name is
// authenticated data, so a secret copied to the row of another owner can't be opened.

const nonceBytes = 12;
const tagBytes = 16;

export const masterKeyBytes = 32;

/** The first key seals; all keys open. There are several only during a change of the master key. */
export type MasterKey = readonly [Buffer, ...Buffer[]];

/** Parses the setting: keys in base64, separated by commas. */
export const readMasterKey = (text: string): MasterKey =>
  text.split(',').map((key) => Buffer.from(key, 'base64')) as [Buffer, ...Buffer[]];

export const writeMasterKey = (masterKey: MasterKey): string =>
  masterKey.map((key) => key.toString('base64')).join(',');

/** A short id that lets people distinguish keys. It reveals nothing about the key. */
export const keyIdOf = ([first]: MasterKey): string =>
  createHash('sha256').update('freebets master key').update(first).digest('hex').slice(0, 12);

/** 32 random bytes, in an alphabet that needs no escaping in shells and configuration files. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

export function sealSecret([key]: MasterKey, owner: string, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined if none of the keys opens it, or if it was changed. */
export function openSecret(masterKey: MasterKey, owner: string, sealed: Buffer): string | undefined {
  for (const key of masterKey) {
    const secret = openWith(key, owner, sealed);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

function openWith(key: Buffer, owner: string, sealed: Buffer): string | undefined {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
    return decipher.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

export const ownerOf = (kind: 'partner' | 'provider', id: number | string): string => `${kind} ${id}`;

/**
 * Seals the secret again under the first key. Undefined if it is already under that key, `unopened` if no key opens it.
 */
export function reseal(masterKey: MasterKey, owner: string, sealed: Buffer): Buffer | 'unopened' | undefined {
  if (openWith(masterKey[0], owner, sealed) !== undefined) return undefined;
  const secret = openSecret(masterKey, owner, sealed);
  return secret === undefined ? 'unopened' : sealSecret(masterKey, owner, secret);
}
