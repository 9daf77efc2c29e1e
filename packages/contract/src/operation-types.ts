import type { TSchema } from 'typebox';
import type { ErrorName } from './errors.ts';
import type { OperationName, StaffOperationName } from './paths.ts';

// The columns of the two tables of operations. Each noun's file defines its rows, and operations.ts collects them.

export interface Example {
  /** The form of the request, if it has two. */
  summary?: string;
  request: unknown;
  response: unknown;
}

/** An operation that partners or game providers call. Its path and its caller are in paths.ts. */
export interface OperationRow {
  tag: 'Promo' | 'Jobs' | 'Game catalogue' | 'Events' | 'Rounds' | 'Sandbox';
  summary: string;
  description: string;
  /** Staff may only send dry runs, because they create it with a draft. */
  staffDryRunOnly?: true;
  request: TSchema;
  response: TSchema;
  /** In addition to `commonErrors`. */
  errors: ErrorName[];
  example: Example;
  /** The example of the second form of the request. */
  secondExample?: Example;
}

/** An operation that only staff call. */
export interface StaffOperationRow {
  tag:
    | 'Session'
    | 'Staff'
    | 'Partners'
    | 'Catalogue'
    | 'Webhooks'
    | 'Drafts'
    | 'Confirmations'
    | 'Audit'
    | 'Reports'
    | 'System'
    | 'Campaigns'
    | 'Players';
  summary: string;
  request: TSchema;
  /** A schema, or the content type of a streamed file. */
  response: TSchema | { file: 'text/csv; charset=utf-8' | 'application/x-ndjson' | 'application/json' };
  /** In addition to `commonErrors`. */
  errors: ErrorName[];
  /** In bytes; 1 MiB by default. */
  maxBody?: number;
}

/** The types require exactly one row for each name in paths.ts. */
export type OperationRows = Record<OperationName, OperationRow>;
export type StaffOperationRows = Record<StaffOperationName, StaffOperationRow>;

export const examplesOf = ({ example, secondExample }: OperationRow): Example[] =>
  secondExample === undefined ? [example] : [example, secondExample];

/** The errors that every operation can return. */
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
