import type { IncomingHttpHeaders } from 'node:http';
import {
  maxItemsOfBatch,
  maxItemsOfPart,
  type OperationName,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import { type Slice, undivided } from '../../calls/fair-work.ts';
import { partnerOf, type ReadTurns, takeTurn } from '../../calls/read-turns.ts';
import type { Services } from '../../calls/services.ts';
import { acceptsGzip, namesTag } from '../../edge/negotiation.ts';
import { parseInstant } from '../../primitives/amounts.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import type { Answers, CommandKind, CommandOf } from '../batch/command.ts';
import {
  addJobPartCommand,
  betOf,
  cancelCommand,
  changeLimitsCommand,
  createJobCommand,
  issueCommand,
  placeBetCommand,
  playRoundCommand,
  settleBetCommand,
  startJobCommand,
} from './commands.ts';
import {
  type Read,
  readAvailable,
  readBet,
  readCampaign,
  readCampaigns,
  readClock,
  readEvents,
  readFreeBet,
  readFreeBets,
  readJob,
  readJobRefusals,
  readJobs,
  readOpenBets,
} from './reads.ts';
import { cancelBatch, createCampaign, issueBatch, submitCommand } from './writes.ts';

// What each operation does once its request is known to be signed and valid: a command for the lane, or a read.

type Handler<N extends OperationName> = (
  services: Services,
  body: RequestOf<N>,
  headers: IncomingHttpHeaders,
  slice: Slice,
) => Promise<Outcome<ResponseOf<N>> | Rendered>;

/** An answer that is bytes already. */
export class Rendered {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  constructor(status: number, headers: Record<string, string>, bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }
}

const nothing = Buffer.alloc(0);

const sendGameList: Handler<'GameList'> = async ({ gameList }, { client_id }, given) => {
  const { etag, plain, gzip } = await gameList(client_id);
  const headers = { etag, vary: 'accept-encoding' };
  if (namesTag(given['if-none-match'], etag)) return new Rendered(304, headers, nothing);
  if (!acceptsGzip(given['accept-encoding'])) return new Rendered(200, headers, plain);
  return new Rendered(200, { ...headers, 'content-encoding': 'gzip' }, gzip);
};

const inTurn =
  <N extends OperationName>(read: Read<N>, callerOf: (body: RequestOf<N>) => string): Handler<N> =>
  async (services, body) =>
    (await takeTurn(services, body.client_id, callerOf(body), () => read(services, body))) ?? refuse('unavailable');

const providerOf = ({ provider_id }: { provider_id: string }): string => `provider ${provider_id}`;

/** What takes longer than other commands, few at a time. It is made when its turn has come. */
const submitInTurn = async <K extends CommandKind>(
  services: Services,
  turns: ReadTurns,
  body: { client_id: number },
  make: () => CommandOf<K>,
): Promise<Outcome<Answers[K]>> =>
  (await turns.take(partnerOf(body), () => submitCommand(services, body, make()))) ?? refuse('unavailable');

const handlers: { [N in OperationName]: Handler<N> } = {
  CampaignCreate: createCampaign,
  CampaignGet: inTurn(readCampaign, partnerOf),
  CampaignList: inTurn(readCampaigns, partnerOf),
  CampaignStop: (services, body) =>
    submitCommand(services, body, { kind: 'stop_campaign', campaignId: body.campaign_id }),
  CampaignPause: (services, body) =>
    submitCommand(services, body, { kind: 'pause_campaign', campaignId: body.campaign_id }),
  CampaignResume: (services, body) =>
    submitCommand(services, body, { kind: 'resume_campaign', campaignId: body.campaign_id }),
  CampaignLimits: (services, body) => submitCommand(services, body, changeLimitsCommand(body)),
  Issue: (services, body) => submitCommand(services, body, issueCommand(body)),
  IssueBatch: (services, body, _headers, slice) => issueBatch(services, body, slice),
  Cancel: (services, body) => submitCommand(services, body, cancelCommand(body.issue_id)),
  CancelBatch: cancelBatch,
  FreeBetGet: inTurn(readFreeBet, partnerOf),
  FreeBetList: inTurn(readFreeBets, partnerOf),
  JobCreate: (services, body) => submitCommand(services, body, createJobCommand(body, services.jobQuota)),
  JobAdd: (services, body) =>
    submitInTurn(services, services.partTurns, body, () => addJobPartCommand(body, services.jobQuota)),
  JobStart: (services, body) => submitCommand(services, body, startJobCommand(body)),
  JobGet: inTurn(readJob, partnerOf),
  JobList: inTurn(readJobs, partnerOf),
  JobRefusals: inTurn(readJobRefusals, partnerOf),
  JobRetry: (services, body) => submitCommand(services, body, { kind: 'retry_job', jobId: body.job_id.toLowerCase() }),
  JobStop: (services, body) => submitCommand(services, body, { kind: 'stop_job', jobId: body.job_id.toLowerCase() }),
  GameList: sendGameList,
  EventsList: inTurn(readEvents, partnerOf),
  RoundsAvailable: inTurn(readAvailable, providerOf),
  RoundsBet: (services, body) => submitCommand(services, body, placeBetCommand(body)),
  RoundsSettle: (services, body) => submitCommand(services, body, settleBetCommand(body)),
  RoundsRollback: (services, body) => submitCommand(services, body, { kind: 'roll_back_bet', ...betOf(body) }),
  RoundsGet: inTurn(readBet, providerOf),
  RoundsOpen: inTurn(readOpenBets, providerOf),
  SandboxClockGet: inTurn(readClock, partnerOf),
  SandboxClockSet: (services, body) => submitCommand(services, body, { kind: 'set_clock', to: parseInstant(body.now) }),
  SandboxRound: (services, body) => submitInTurn(services, services.roundTurns, body, () => playRoundCommand(body)),
};

interface Batch {
  /** The most items. */
  items: number;
  /** Whether the service would accept this many items now. */
  hasRoom(services: Pick<Services, 'lanes' | 'partTurns'>, clientId: number, items: number): boolean;
}

const batchOfCommands: Batch = {
  items: maxItemsOfBatch,
  hasRoom: ({ lanes }, clientId, items) => lanes.hasRoom(clientId, items),
};

/** Operations with a list whose items count against the rate of items. */
export const batches: { [N in OperationName]?: Batch } = {
  IssueBatch: batchOfCommands,
  CancelBatch: batchOfCommands,
  JobAdd: {
    items: maxItemsOfPart,
    hasRoom: ({ partTurns }, clientId) => partTurns.hasRoom(partnerOf({ client_id: clientId })),
  },
};

/** Operations whose handlers end the slice themselves. */
export const buildsInSlices: ReadonlySet<OperationName> = new Set<OperationName>(['IssueBatch']);

/** The body has been found valid for the operation. */
export const answerTo = <N extends OperationName>(
  operation: N,
  services: Services,
  body: unknown,
  headers: IncomingHttpHeaders,
  slice = undivided,
): Promise<Outcome<ResponseOf<N>> | Rendered> => handlers[operation](services, body as RequestOf<N>, headers, slice);
