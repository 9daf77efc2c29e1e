import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// Passwords are stored as argon2id in PHC format: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. One hash takes 19 MiB and
// about 50 ms of a processor; callers limit how many are computed at a time.

interface Parameters {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** The minimum that OWASP recommends. After an increase, a password is rehashed at the next sign-in. */
const current: Parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;

const compute = promisify(argon2);

const computeFor = ({ memory, passes, parallelism }: Parameters, password: string, nonce: Buffer): Promise<Buffer> =>
  compute('argon2id', {
    message: Buffer.from(password.normalize('NFC')),
    nonce,
    parallelism,
    tagLength: hashBytes,
    memory,
    passes,
  });

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export async function hashPassword(password: string): Promise<string> {
  const { memory, passes, parallelism } = current;
  const salt = randomBytes(saltBytes);
  const hash = await computeFor(current, password, salt);
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d{2,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{43})$/;

function read(stored: string): { parameters: Parameters; salt: Buffer; hash: Buffer } | undefined {
  const [, memory, passes, parallelism, salt = '', hash = ''] = form.exec(stored) ?? [];
  if (memory === undefined) return undefined;
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { parameters, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/** Without a stored hash the result is false, after the same time. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const known = stored === null ? undefined : read(stored);
  const { parameters, salt, hash } = known ?? {
    parameters: current,
    salt: randomBytes(saltBytes),
    hash: randomBytes(hashBytes),
  };
  return timingSafeEqual(await computeFor(parameters, password, salt), hash) && known !== undefined;
}

/** Whether the hash uses weaker parameters than the current ones. */
export function isHashedWeakly(stored: string): boolean {
  const { parameters } = read(stored) ?? {};
  return parameters === undefined || parameters.memory < current.memory || parameters.passes < current.passes;
}
