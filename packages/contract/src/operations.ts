import type { Static, TSchema } from 'typebox';
import { auditOperations } from './audit.ts';
import { campaignOperations, campaignStaffOperations } from './campaigns.ts';
import { confirmationOperations } from './confirmations.ts';
import { draftOperations } from './drafts.ts';
import { eventOperations, eventStaffOperations, webhookOperations } from './events.ts';
import { freeBetOperations } from './free-bets.ts';
import { catalogueOperations, gameOperations } from './games.ts';
import { jobOperations } from './jobs.ts';
import type { OperationRow, OperationRows, StaffOperationRow, StaffOperationRows } from './operation-types.ts';
import { partnerOperations } from './partners.ts';
import {
  type OperationName,
  type OperationPath,
  paths,
  type StaffOperationName,
  type StaffOperationPath,
  staffPaths,
} from './paths.ts';
import { sessionOperations, staffAdminOperations } from './people.ts';
import { playerOperations } from './players.ts';
import { overviewOperations, reportOperations, systemOperations } from './reports.ts';
import { roundOperations } from './rounds.ts';
import { sandboxOperations, sandboxStaffOperations } from './sandbox.ts';

// The two tables of operations. The server serves both, and the OpenAPI document is generated from the first.

const rows = {
  ...campaignOperations,
  ...freeBetOperations,
  ...jobOperations,
  ...gameOperations,
  ...eventOperations,
  ...roundOperations,
  ...sandboxOperations,
} as const satisfies OperationRows;

const staffRows = {
  ...sessionOperations,
  ...staffAdminOperations,
  ...partnerOperations,
  ...webhookOperations,
  ...reportOperations,
  ...catalogueOperations,
  ...draftOperations,
  ...confirmationOperations,
  ...auditOperations,
  ...systemOperations,
  ...overviewOperations,
  ...campaignStaffOperations,
  ...eventStaffOperations,
  ...playerOperations,
  ...sandboxStaffOperations,
} as const satisfies StaffOperationRows;

/** Adds to each row its entry of paths.ts, in the order of paths.ts. */
const withPaths = <P extends Record<string, object>, R extends Record<keyof P, object>>(paths: P, rows: R) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { ...path, ...rows[name as keyof P] }])) as {
    [N in keyof P]: P[N] & R[N];
  };

export type Operation = OperationPath & OperationRow;
export type StaffOperation = StaffOperationPath & StaffOperationRow;

/** The operations of partners and game providers. Staff call some of them too, see paths.ts. */
export const operations = withPaths(paths, rows);
/** The operations that only staff call. */
export const staffOperations = withPaths(staffPaths, staffRows);

export type RequestOf<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type ResponseOf<N extends OperationName> = Static<(typeof operations)[N]['response']>;

type StaffResponse<N extends StaffOperationName> = (typeof staffOperations)[N]['response'];
export type StaffRequestOf<N extends StaffOperationName> = Static<(typeof staffOperations)[N]['request']>;
/** `never` if the response is a file. */
export type StaffResponseOf<N extends StaffOperationName> =
  StaffResponse<N> extends { file: string } ? never : Static<Extract<StaffResponse<N>, TSchema>>;
