import { Type } from 'typebox';
import { closed, Limit, nullable, Timestamp, text, Uuid } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { Email, PersonName, Scope, StaffId } from './people.ts';

// Confirmations: changes by an admin that give approval rights or show a secret, which a second admin must confirm.

export const confirmedOperations = [
  'StaffInvite',
  'StaffUpdate',
  'StaffEnable',
  'StaffResetSecondFactor',
  'PartnerCreate',
  'PartnerUpdate',
  'PartnerRotateSecret',
  'ProviderCreate',
  'ProviderRotateSecret',
] as const;
export type ConfirmedOperation = (typeof confirmedOperations)[number];

const states = ['pending', 'confirmed', 'done', 'refused', 'withdrawn', 'expired'] as const;

const anyObject = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description });

const Admin = closed({ staff_id: StaffId, email: Email, name: PersonName });
const ConfirmationId = Uuid('The id of the request for confirmation.');

export const Confirmation = closed({
  confirmation_id: ConfirmationId,
  operation: Type.Enum(confirmedOperations, { description: 'The operation that needs the confirmation.' }),
  request: anyObject('The body of that operation, without its reason.'),
  before: nullable(anyObject('The person, partner or provider as it was then; null if the request creates one.')),
  target: closed({
    kind: Type.Enum(['staff', 'partner', 'provider']),
    id: Type.String({ description: 'Empty if the request creates it.' }),
  }),
  partners: Scope,
  state: Type.Enum(states, {
    description:
      '`pending` until another admin decides, then `confirmed` until the requester sends the same request again, which ' +
      'makes it `done`; `expired` 72 hours after the request.',
  }),
  requested_by: Admin,
  requested_at: Timestamp,
  expires_at: Timestamp,
  reason: Type.String({ description: 'The reason given by the requester.' }),
  decided_by: Type.Union([Admin, Type.Null()], {
    description: 'Null for the command line, or if there is no decision.',
  }),
  decided_at: nullable(Timestamp),
  decision_reason: nullable(Type.String()),
});
export type Confirmation = Type.Static<typeof Confirmation>;

const ConfirmationListRequest = closed({
  open: Type.Optional(Type.Boolean({ description: 'Only pending and confirmed requests.' })),
  target: Type.Optional(
    closed({
      kind: Confirmation.properties.target.properties.kind,
      id: Type.Optional(text(256, 'The id; all of the kind if absent')),
    }),
  ),
  limit: Type.Optional(Limit(200, 50)),
});
const ConfirmationListResponse = closed({
  confirmations: Type.Array(Confirmation, { description: 'Newest first.' }),
});

const ConfirmationRequest = closed({ confirmation_id: ConfirmationId });

const ConfirmationsWaitingRequest = closed({});
const ConfirmationsWaitingResponse = closed({
  for_me: Type.Integer({
    minimum: 0,
    description: 'Requests that you could confirm, and your own that are confirmed and not carried out.',
  }),
});

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
