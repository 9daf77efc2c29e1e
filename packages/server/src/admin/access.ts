import type { AccessGiven, CallerAccess } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';
import { readNetworks } from '../primitives/networks.ts';

// What a partner and a provider can be asked for beside a right signature; typed alike for both.

export interface AccessTyped {
  signing?: CallerAccess['signing'];
  allowFrom?: string;
}

/** What is left out stays as it is. */
export const accessOf = ({ signing, allowFrom }: AccessTyped): AccessGiven => ({
  ...(signing !== undefined && { signing }),
  ...(allowFrom !== undefined && { allow_from: networksIn(allowFrom) }),
});

function networksIn(text: string): string[] | null {
  if (text === 'any') return null;
  const read = readNetworks(text);
  if ('networks' in read) return read.networks;
  throw new Failure(`--allow-from takes networks with commas between, or any: ${read.wrong}.`);
}
