import type { TSchema } from 'typebox';
import type { ErrorName } from './errors.ts';
import type { Caller, OperationName, paths } from './paths.ts';

/** A row of the table of operations. */
export interface Operation {
  path: string;
  tag: 'Promo' | 'Jobs' | 'Game catalogue' | 'Events' | 'Rounds' | 'Sandbox';
  caller: Caller;
  summary: string;
  description: string;
  /** Staff may only send dry runs, because they create it with a draft. */
  staffDryRunOnly?: true;
  request: TSchema;
  response: TSchema;
  /** Beside the errors that every operation can answer. */
  errors: ErrorName[];
  example: { request: unknown; response: unknown };
}

/** A row that is missing, or stands under another's path, is an error of types. */
export type Operations = { [N in OperationName]: Operation & (typeof paths)[N] };

/** What every operation can answer, whatever it does. */
export const commonErrors: ErrorName[] = [
  'invalid_request',
  'forbidden',
  'unknown_operation',
  'method_not_allowed',
  'body_too_large',
  'not_json',
  'too_many_requests',
  'internal_error',
  'unavailable',
];

/** Where terms are given. */
export const termErrors: ErrorName[] = [
  'invalid_validity',
  'game_not_available',
  'game_without_free_bets',
  'currency_not_allowed',
];
