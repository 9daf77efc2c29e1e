import {
  Confirmation,
  ConfirmationListRequest,
  ConfirmationListResponse,
  ConfirmationRequest,
  ConfirmationsWaitingRequest,
  ConfirmationsWaitingResponse,
} from './confirmations.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';

const tag = 'Confirmations';

export const confirmationOperations = {
  ConfirmationList: {
    ...staffPaths.ConfirmationList,
    tag,
    summary: 'Requests of admins that need a second admin, newest first',
    request: ConfirmationListRequest,
    response: ConfirmationListResponse,
    errors: [],
  },
  ConfirmationConfirm: {
    ...staffPaths.ConfirmationConfirm,
    tag,
    summary: 'Confirm the request of another admin, who can then carry it out',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'own_confirmation', 'confirmation_not_open', 'requester_not_allowed'],
  },
  ConfirmationRefuse: {
    ...staffPaths.ConfirmationRefuse,
    tag,
    summary: 'Refuse the request of another admin',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'own_confirmation', 'confirmation_not_open'],
  },
  ConfirmationWithdraw: {
    ...staffPaths.ConfirmationWithdraw,
    tag,
    summary: 'Withdraw your own request',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'confirmation_not_open'],
  },
  ConfirmationsWaiting: {
    ...staffPaths.ConfirmationsWaiting,
    tag,
    summary: 'How many requests wait for you, to confirm or to carry out',
    request: ConfirmationsWaitingRequest,
    response: ConfirmationsWaitingResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperations>;
