import { closed } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import {
  EndSessionsRequest,
  EndSessionsResponse,
  Invitation,
  InviteRequest,
  Member,
  MemberListRequest,
  MemberListResponse,
  MemberRequest,
  MemberSessionsResponse,
  MemberUpdateRequest,
} from './staff.ts';

const tag = 'Staff';

export const staffAdminOperations = {
  StaffList: {
    tag,
    summary: 'People of the staff, by their e-mail addresses',
    request: MemberListRequest,
    response: MemberListResponse,
    errors: [],
  },
  StaffGet: {
    tag,
    summary: 'Somebody of the staff',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found'],
  },
  StaffInvite: {
    tag,
    summary: 'Invite somebody, or again who has not accepted yet',
    request: InviteRequest,
    response: Invitation,
    errors: ['already_exists', 'partner_not_found', 'confirmation_needed'],
  },
  StaffUpdate: {
    tag,
    summary: 'Change name, role or scope; another role or scope ends the sessions',
    request: MemberUpdateRequest,
    response: Member,
    errors: [
      'staff_not_found',
      'partner_not_found',
      'own_account',
      'last_admin',
      'changed_meanwhile',
      'confirmation_needed',
    ],
  },
  StaffDisable: {
    tag,
    summary: 'Shut somebody out: sessions and invitations end',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'last_admin'],
  },
  StaffEnable: {
    tag,
    summary: 'Let somebody sign in again',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'confirmation_needed'],
  },
  StaffResetSecondFactor: {
    tag,
    summary: 'Remove the second factor and the recovery codes of somebody, and end the sessions',
    request: MemberRequest,
    response: Member,
    errors: ['staff_not_found', 'own_account', 'confirmation_needed'],
  },
  StaffSessions: {
    tag,
    summary: 'Where somebody is signed in',
    request: MemberRequest,
    response: MemberSessionsResponse,
    errors: ['staff_not_found'],
  },
  StaffEndSessions: {
    tag,
    summary: 'End one session of somebody, or all',
    request: EndSessionsRequest,
    response: EndSessionsResponse,
    errors: ['staff_not_found', 'session_not_found'],
  },
  StaffReview: {
    tag,
    summary: 'Who may do what, as a file for a review of access',
    request: closed({}),
    response: { file: 'text/csv; charset=utf-8' },
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
