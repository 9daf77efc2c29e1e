import { readFileSync } from 'node:fs';

// The vectors that partners test their code with. They test our code too.

interface WithBody {
  name: string;
  body?: string;
  body_base64?: string;
}

export interface SignatureVector extends WithBody {
  secret: string;
  time?: string;
  path?: string;
  signature: string;
}

export interface WebhookVector extends WithBody {
  secrets: string[];
  now: number;
  path?: string;
  tolerance_s?: number;
  allow_untimed?: boolean;
  headers: Record<string, string>;
  result: string;
}

export interface ErrorVector {
  name: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  result: Record<string, unknown>;
}

interface Forms {
  valid: string[];
  invalid: string[];
}

export interface MoneyVectors {
  amounts: Forms;
  coefficients: Forms;
  winnings: { amount: string; coefficient: string; win_amount: string; with_stake_returned: string }[];
}

const folder = new URL('../../packages/contract/vectors/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

export const signatureVectors: SignatureVector[] = read('signatures.json').vectors;
export const webhookVectors: WebhookVector[] = read('webhooks.json').vectors;
export const errorVectors: ErrorVector[] = read('errors.json').vectors;
export const moneyVectors: MoneyVectors = read('money.json');

export const bodyOf = ({ body, body_base64 }: WithBody): Buffer =>
  body === undefined ? Buffer.from(body_base64 ?? '', 'base64') : Buffer.from(body);
