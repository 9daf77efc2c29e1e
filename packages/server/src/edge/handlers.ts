import type { OperationName, RequestOf, ResponseOf, StaffOperationName } from '@freebets/contract';
import { auditHandlers } from '../audit/api.ts';
import type { Batch, Call, Download, Handler, Rendered, StaffCall, StaffHandler } from '../calls/call.ts';
import { eventHandlers } from '../events/feed/api.ts';
import { webhookHandlers } from '../events/webhooks/api.ts';
import { partnerHandlers } from '../partners/callers/api/partners.ts';
import { providerHandlers } from '../partners/callers/api/providers.ts';
import { catalogueHandlers } from '../partners/catalogue/api.ts';
import { accountHandlers } from '../people/api/account.ts';
import { staffAdminHandlers } from '../people/api/administration.ts';
import { sessionHandlers } from '../people/api/sessions.ts';
import { confirmationHandlers } from '../people/confirmations/api.ts';
import type { Outcome } from '../primitives/outcome.ts';
import { campaignHandlers } from '../promo/campaigns/api.ts';
import { draftHandlers } from '../promo/drafts/api.ts';
import { freeBetBatches, freeBetHandlers } from '../promo/free-bets/api.ts';
import { jobBatches, jobHandlers } from '../promo/jobs/api.ts';
import { roundHandlers } from '../promo/rounds/api.ts';
import { sandboxHandlers } from '../promo/sandbox/api.ts';
import { overviewHandlers } from '../reports/api/overview.ts';
import { playerHandlers } from '../reports/api/players.ts';
import { reportHandlers } from '../reports/api/reports.ts';
import { systemHandlers } from '../reports/api/system.ts';

// The handlers of all operations. The edge calls a handler after it has checked caller, role, scope and schema.

const all = {
  ...sessionHandlers,
  ...accountHandlers,
  ...staffAdminHandlers,
  ...confirmationHandlers,
  ...partnerHandlers,
  ...providerHandlers,
  ...catalogueHandlers,
  ...campaignHandlers,
  ...freeBetHandlers,
  ...roundHandlers,
  ...jobHandlers,
  ...sandboxHandlers,
  ...draftHandlers,
  ...eventHandlers,
  ...webhookHandlers,
  ...auditHandlers,
  ...overviewHandlers,
  ...playerHandlers,
  ...reportHandlers,
  ...systemHandlers,
};

const allBatches = { ...freeBetBatches, ...jobBatches };

type All = typeof all;
type AnyCall = Parameters<All[keyof All]>[0];
type AnyBatch = (typeof allBatches)[keyof typeof allBatches];
type Intersection<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer Each) => void
  ? Each
  : never;

/** The services that handlers need. */
export type HandlerServices = Intersection<AnyCall['services'] | Parameters<AnyBatch['hasRoom']>[0]>;

const ofPartners: { [N in OperationName]: Handler<N, HandlerServices> } = all;
const ofStaff: { [N in StaffOperationName]: StaffHandler<N, HandlerServices> } = all;

/** The body must be valid for the operation. */
export const carryOut = <N extends OperationName>(
  operation: N,
  call: Call<HandlerServices>,
  body: unknown,
): Promise<Outcome<ResponseOf<N>> | Rendered> => ofPartners[operation](call, body as RequestOf<N>);

export const carryOutForStaff = (
  operation: StaffOperationName,
  call: StaffCall<HandlerServices>,
  body: unknown,
): Promise<Outcome | Download> => ofStaff[operation](call, body as never);

/** The operations whose items count against the item rate. */
export const batches: { [N in OperationName]?: Batch<HandlerServices> } = allBatches;
