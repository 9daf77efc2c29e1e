import {
  Confirmation,
  ConfirmationListRequest,
  ConfirmationListResponse,
  ConfirmationRequest,
  ConfirmationsWaitingRequest,
  ConfirmationsWaitingResponse,
} from './confirmations.ts';
import type { StaffOperationRows } from './operation-types.ts';

const tag = 'Confirmations';

export const confirmationOperations = {
  ConfirmationList: {
    tag,
    summary: 'Requests of admins that need a second admin, newest first',
    request: ConfirmationListRequest,
    response: ConfirmationListResponse,
    errors: [],
  },
  ConfirmationConfirm: {
    tag,
    summary: 'Confirm the request of another admin, who can then carry it out',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'own_confirmation', 'confirmation_not_open', 'requester_not_allowed'],
  },
  ConfirmationRefuse: {
    tag,
    summary: 'Refuse the request of another admin',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'own_confirmation', 'confirmation_not_open'],
  },
  ConfirmationWithdraw: {
    tag,
    summary: 'Withdraw your own request',
    request: ConfirmationRequest,
    response: Confirmation,
    errors: ['confirmation_not_found', 'confirmation_not_open'],
  },
  ConfirmationsWaiting: {
    tag,
    summary: 'How many requests wait for you, to confirm or to carry out',
    request: ConfirmationsWaitingRequest,
    response: ConfirmationsWaitingResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
