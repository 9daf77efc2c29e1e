import {
  AuditExportRequest,
  AuditListRequest,
  AuditListResponse,
  AuditVerifyRequest,
  AuditVerifyResponse,
} from './audit.ts';
import type { StaffOperationRows } from './operation-types.ts';

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
