import type { StaffOperationRows } from './operation-types.ts';
import { ClockPreviewRequest, ClockPreviewResponse } from './sandbox.ts';

export const sandboxStaffOperations = {
  ClockPreview: {
    tag: 'Campaigns',
    summary: 'What would expire, begin, end and be removed if the clock of a sandbox were set',
    request: ClockPreviewRequest,
    response: ClockPreviewResponse,
    errors: ['partner_not_found', 'not_a_sandbox'],
  },
} as const satisfies Partial<StaffOperationRows>;
