import { createHash } from 'node:crypto';
import type { RequestOf } from '@freebets/contract';
import { validateRequest } from '../calls/validation.ts';
import {
  formatCoefficient,
  formatInstant,
  formatMoney,
  parseCoefficient,
  parseInstant,
  parseMoney,
} from '../primitives/amounts.ts';
import { Failure } from '../primitives/failure.ts';

// Builds the request that creates a job. The job ID is derived from the list and the normalized fields, not from the
// file name. So the same command resumes an interrupted job and issues no free bet twice.

export interface JobOptions {
  campaign?: string;
  betAmount?: string;
  quantity?: string;
  games?: string;
  validFrom?: string;
  validUntil?: string;
  durationMin?: string;
  minCoefficient?: string;
  maxCoefficient?: string;
  name?: string;
  startAt?: string;
  jobId?: string;
  currency?: string;
}

type JobRequest = RequestOf<'JobCreate'>;

const numberOf = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

/** The fields that all items share, with their names in the API. */
function sharedFields(options: JobOptions): Record<string, unknown> {
  const { betAmount, quantity, games, validFrom, validUntil, durationMin, minCoefficient, maxCoefficient } = options;
  const config = {
    ...(minCoefficient !== undefined && { min_coefficient: minCoefficient }),
    ...(maxCoefficient !== undefined && { max_coefficient: maxCoefficient }),
  };
  return {
    ...(betAmount !== undefined && { bet_amount: betAmount }),
    ...(quantity !== undefined && { quantity: numberOf(quantity) }),
    ...(games !== undefined && { games: games.split(',').map((game) => game.trim()) }),
    ...(validFrom !== undefined && { valid_from: validFrom }),
    ...(validUntil !== undefined && { valid_until: validUntil }),
    ...(durationMin !== undefined && { duration_min: numberOf(durationMin) }),
    ...(Object.keys(config).length > 0 && { config }),
  };
}

function termsOf(options: JobOptions): Record<string, unknown> {
  const shared = sharedFields(options);
  const [field] = Object.keys(shared);
  if (options.campaign !== undefined) {
    if (field === undefined) return { campaign_id: options.campaign };
    throw new Failure(`${optionOf(field)} can't be combined with --campaign: the campaign sets it.`);
  }
  if (field !== undefined) return shared;
  throw new Failure('Choose what to issue: use --campaign, or --bet-amount, --quantity, --games and --valid-until.');
}

/**
 * `sha256` is the hash of the list. The default serves to validate the options before a long list is read, so that a
 * wrong amount is reported at once.
 */
export function requestOf(clientId: number, options: JobOptions, sha256 = '0'.repeat(64)): JobRequest {
  const { name, startAt, jobId, currency, campaign } = options;
  const terms = termsOf(options);
  const request = {
    client_id: clientId,
    job_id: jobId ?? unknownId,
    // The name leaves out the file name, because the list may be moved before the job resumes.
    name: name ?? `${campaign ?? 'Direct'}, list ${sha256.slice(0, 8)}`,
    ...(startAt !== undefined && { start_at: startAt }),
    ...terms,
  };
  const wrong = validateRequest('JobCreate', request);
  if (wrong.length > 0) throw new Failure(wrong.map(({ field, reason }) => `${optionOf(field)} ${reason}.`).join(' '));
  // Only valid values can be normalized.
  if (jobId === undefined) request.job_id = derivedId([clientId, terms, currency ?? null, sha256]);
  return request as JobRequest;
}

const unknownId = '00000000-0000-0000-0000-000000000000';

const normalizeInstant = (text: string): string => formatInstant(parseInstant(text)).replace('.000Z', 'Z');
const normalizeCoefficient = (text: string): string => formatCoefficient(parseCoefficient(text));

/**
 * Normalizes values that can be written in several ways, such as 1.20 and 2027-01-31T12:00:00Z. Another form would
 * derive other IDs.
 */
const normalizers: Record<string, (text: string) => string> = {
  bet_amount: (text) => formatMoney(parseMoney(text)),
  valid_from: normalizeInstant,
  valid_until: normalizeInstant,
  min_coefficient: normalizeCoefficient,
  max_coefficient: normalizeCoefficient,
};

/** Derives a version 8 UUID from the hash of the parts. */
function derivedId(parts: unknown[]): string {
  const text = JSON.stringify(parts, (field, value) => normalizers[field]?.(value) ?? value);
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The command option for a field of the request. */
function optionOf(field: string): string {
  const name = field
    .replace(/^config\./, '')
    .replace(/^config$/, 'min_coefficient')
    .replace(/^campaign_id$/, 'campaign');
  return `--${name.replaceAll('_', '-')}`;
}
