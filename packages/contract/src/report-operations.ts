import type { StaffOperationRows } from './operation-types.ts';
import {
  ActivityGetRequest,
  ActivityGetResponse,
  ReportExportRequest,
  ReportGetRequest,
  ReportGetResponse,
} from './reports.ts';

export const reportOperations = {
  ActivityGet: {
    tag: 'Reports',
    summary: 'What happened, hour by hour or day by day',
    request: ActivityGetRequest,
    response: ActivityGetResponse,
    errors: ['partner_not_found'],
  },
  ReportGet: {
    tag: 'Reports',
    summary: 'What happened, by partner, campaign, game, provider, currency, day or month',
    request: ReportGetRequest,
    response: ReportGetResponse,
    errors: ['partner_not_found'],
  },
  ReportExport: {
    tag: 'Reports',
    summary: 'The same as a file, whole',
    request: ReportExportRequest,
    response: { file: 'text/csv; charset=utf-8' },
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
