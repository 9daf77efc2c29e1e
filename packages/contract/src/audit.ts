import { Type } from 'typebox';
import { ClientId, Cursor, closed, From, Limit, nullable, Timestamp, text, Until } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';

// The audit log: actions of staff and of the command line. Each partner has its own chain of records, and one more
// chain has the records without a partner.

/** Names a chain by its partner. */
const Chain = nullable(
  Type.Integer({
    ...ClientId,
    description: 'The partner of the chain; null for the chain of records without a partner.',
  }),
);
const Sequence = Type.Integer({ minimum: 1, description: 'The number of the record in its chain, without gaps.' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hex.' });

/** Filters of the records. An absent field does not filter. */
const filter = {
  client_id: Type.Optional(Chain),
  actor: Type.Optional(text(254, 'The actor: the id or e-mail address of a staff member, or `cli`')),
  action: Type.Optional(text(64, 'The name of the operation')),
  target: Type.Optional(
    closed({
      kind: text(64, 'The kind of thing that was changed'),
      id: Type.Optional(
        Type.String({
          ...text(
            256,
            'The id of the thing that was changed; empty if there is only one of its kind; absent for all of the kind',
          ),
          minLength: 0,
        }),
      ),
    }),
  ),
  from: Type.Optional(From('recorded')),
  until: Type.Optional(Until('recorded')),
};

const AuditListRequest = closed({
  ...filter,
  limit: Type.Optional(Limit(500, 50)),
  cursor: Type.Optional(Cursor),
});

const AuditExportRequest = closed(filter);
export type AuditFilter = Type.Static<typeof AuditExportRequest>;

const AuditRecord = closed({
  client_id: Chain,
  sequence: Sequence,
  at: Timestamp,
  hash: Hash,
  actor: Type.Object(
    { kind: Type.String({ description: '`staff` or `cli`.' }) },
    { description: 'The actor. For staff it has `staff_id`, `email` and `role` at that time.' },
  ),
  action: Type.String(),
  address: nullable(Type.String()),
  request_id: nullable(Type.String()),
  reason: nullable(Type.String()),
  target: closed({ kind: Type.String(), id: Type.String() }),
  before: Type.Unknown({ description: 'The values before the change; null if the change created them.' }),
  after: Type.Unknown({ description: 'The values after the change; null if the change removed them.' }),
});
export type AuditRecord = Type.Static<typeof AuditRecord>;

const AuditListResponse = closed({
  records: Type.Array(AuditRecord, { description: 'Newest first.' }),
  next_cursor: nullable(Cursor),
});

const AuditVerifyRequest = closed({ client_id: Type.Optional(Chain) });

const Break = closed({
  sequence: Type.Integer({ description: 'The number of the wrong record, or of the first of several.' }),
  through: Type.Integer({ description: 'The number of the last of several wrong records.' }),
  problem: Type.Enum(['missing', 'changed', 'added', 'no_head']),
  message: Type.String({ description: 'The fault, as a sentence.' }),
});

export const AuditVerifyResponse = closed({
  is_whole: Type.Boolean({ description: 'True if every chain is intact.' }),
  chains: Type.Array(
    closed({
      client_id: Chain,
      length: Type.Integer({
        minimum: 0,
        description:
          'The number of records that the chain should have; 0 for a partner without records. A chain never ' +
          'becomes shorter.',
      }),
      last_hash: nullable(
        Type.String({
          ...Hash,
          description:
            'The hash of the last record. If you keep a copy elsewhere, it proves that no earlier record was changed.',
        }),
      ),
      break_count: Type.Integer({ minimum: 0 }),
      breaks: Type.Array(Break, { description: 'The first 100 faults.' }),
    }),
  ),
});
export type AuditVerifyResponse = Type.Static<typeof AuditVerifyResponse>;

export const auditOperations = {
  AuditList: {
    tag: 'Audit',
    summary: 'List the audit log, newest first',
    request: AuditListRequest,
    response: AuditListResponse,
    errors: ['partner_not_found'],
  },
  AuditExport: {
    tag: 'Audit',
    summary: 'Export the audit log as a file that can be verified on its own; the export is logged too',
    request: AuditExportRequest,
    response: { file: 'application/x-ndjson' },
    errors: ['partner_not_found'],
  },
  AuditVerify: {
    tag: 'Audit',
    summary: 'Verify the audit log',
    request: AuditVerifyRequest,
    response: AuditVerifyResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
