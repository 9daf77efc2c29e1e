import { Type } from 'typebox';
import { ClientId, Cursor, closed, From, Limit, nullable, Timestamp, text, Until } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';

// The audit log: actions of staff and of the command line. Each partner has its own chain of records, and one more
// chain has the records without a partner.

/** Names a chain by its partner. */
const Chain = nullable(
  Type.Integer({ ...ClientId, description: 'The partner whose chain it is, or null: what belongs to no partner.' }),
);
const Sequence = Type.Integer({ minimum: 1, description: 'Counts the records of a chain, without a gap.' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hex.' });

/** Filters of the records. An absent field does not filter. */
const filter = {
  client_id: Type.Optional(Chain),
  actor: Type.Optional(text(254, 'Who did it: the id or the e-mail address of a member of staff, or `cli`')),
  action: Type.Optional(text(64, 'What was done, by the name of the operation')),
  target: Type.Optional(
    closed({
      kind: text(64, 'What it was done to, by its kind'),
      id: Type.Optional(
        Type.String({
          ...text(256, 'Its id; empty where there is one of the kind only, absent for all of the kind'),
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
    { description: 'Who did it; of staff with `staff_id`, `email` and `role`, as they were then.' },
  ),
  action: Type.String(),
  address: nullable(Type.String()),
  request_id: nullable(Type.String()),
  reason: nullable(Type.String()),
  target: closed({ kind: Type.String(), id: Type.String() }),
  before: Type.Unknown({ description: 'As it was; null for what was not there.' }),
  after: Type.Unknown({ description: 'As it is since then; null for what is gone.' }),
});
export type AuditRecord = Type.Static<typeof AuditRecord>;

const AuditListResponse = closed({
  records: Type.Array(AuditRecord, { description: 'The newest first.' }),
  next_cursor: nullable(Cursor),
});

const AuditVerifyRequest = closed({ client_id: Type.Optional(Chain) });

const Break = closed({
  sequence: Type.Integer({ description: 'Of the record, or of the first of several.' }),
  through: Type.Integer({ description: 'Of the last of several.' }),
  problem: Type.Enum(['missing', 'changed', 'added', 'no_head']),
  message: Type.String({ description: 'What is wrong, in words.' }),
});

export const AuditVerifyResponse = closed({
  is_whole: Type.Boolean({ description: 'Whether no chain is broken.' }),
  chains: Type.Array(
    closed({
      client_id: Chain,
      length: Type.Integer({
        minimum: 0,
        description:
          'How many records the chain should have; 0 for a partner without one. No chain ever becomes shorter.',
      }),
      last_hash: nullable(
        Type.String({ ...Hash, description: 'Of the last record: kept elsewhere, it proves all before it.' }),
      ),
      break_count: Type.Integer({ minimum: 0 }),
      breaks: Type.Array(Break, { description: 'The first 100.' }),
    }),
  ),
});
export type AuditVerifyResponse = Type.Static<typeof AuditVerifyResponse>;

export const auditOperations = {
  AuditList: {
    tag: 'Audit',
    summary: 'What was done, by whom and why, the newest first',
    request: AuditListRequest,
    response: AuditListResponse,
    errors: ['partner_not_found'],
  },
  AuditExport: {
    tag: 'Audit',
    summary: 'The record as a file that can be checked by itself; is recorded too',
    request: AuditExportRequest,
    response: { file: 'application/x-ndjson' },
    errors: ['partner_not_found'],
  },
  AuditVerify: {
    tag: 'Audit',
    summary: 'Whether anything of the record was changed, removed or added',
    request: AuditVerifyRequest,
    response: AuditVerifyResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
