import type { IncomingHttpHeaders } from 'node:http';
import {
  type FieldError,
  type FreeBetBody,
  type IssueBatchResponse,
  type IssueItem,
  itemError,
  type OperationName,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Answers, CommandKind, CommandOf } from '../domain/command.ts';
import { done, type Outcome, refuse, withinBudget } from '../domain/outcome.ts';
import {
  addJobPartCommand,
  betOf,
  createCampaignCommand,
  createJobCommand,
  issueCommand,
  placeBetCommand,
  settleBetCommand,
} from './commands.ts';
import { acceptsGzip, namesTag } from './negotiation.ts';
import {
  type Read,
  readAvailable,
  readCampaign,
  readCampaigns,
  readEvents,
  readFreeBet,
  readFreeBets,
  readJob,
  readJobRefusals,
  readJobs,
} from './reads.ts';
import type { Services } from './services.ts';
import { validateIssueItem } from './validation.ts';

// What each operation does once its request is known to be signed and valid: a command for the lane, or a read.

type Handler<N extends OperationName> = (
  services: Services,
  body: RequestOf<N>,
  headers: IncomingHttpHeaders,
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

/**
 * A provider may name any partner. One that does not exist takes the same way as one that has no such free bet, and so
 * cannot be told from it, not even by time.
 */
async function submitCommand<K extends CommandKind>(
  { lanes }: Services,
  clientId: number,
  command: CommandOf<K>,
): Promise<Outcome<Answers[K]>> {
  const [outcome] = await lanes.submit<K>(clientId, [command]);
  if (outcome === undefined) throw new Error('a command had no outcome');
  return outcome;
}

/** Over all items; beyond, an item is told its first error only. */
const maxBatchDetails = 1000;

const issueBatch: Handler<'IssueBatch'> = async ({ lanes }, { client_id, items }) => {
  const budget = { left: maxBatchDetails };
  const errors = items.map((item) => validateIssueItem(item, budget));
  const valid = items.filter((_, i) => errors[i]?.length === 0) as IssueItem[];
  const outcomes = await lanes.submit(client_id, valid.map(issueCommand));
  // When the service could take none of them, the caller should simply send the whole request again.
  if (valid.length > 0 && outcomes.every((outcome) => !outcome.ok && outcome.error === 'unavailable')) {
    return refuse('unavailable');
  }
  const inOrder = outcomes.values();
  const results = items.map((item, i) => {
    const details = errors[i] as FieldError[];
    const outcome = details.length > 0 ? refuse('invalid_request', details) : inOrder.next().value;
    if (outcome === undefined) throw new Error('an item had no outcome');
    if (outcome.ok) return batchItem(outcome.value);
    const refusal = details.length > 0 ? outcome : withinBudget(outcome, budget);
    return { issue_id: issueIdOf(item), error: itemError(refusal) };
  });
  return done({ results });
};

/** Without the games of its campaign, which would make a thousand items long, and which the campaign knows. */
function batchItem(freeBet: FreeBetBody): IssueBatchResponse['results'][number] {
  if (freeBet.campaign_id === null) return freeBet;
  const { games: _, ...rest } = freeBet;
  return rest;
}

/** What the caller gave as an id, valid or not, so that it can tell its items apart. */
function issueIdOf(item: unknown): string | null {
  const id = (item as { issue_id?: unknown } | null)?.issue_id;
  return typeof id === 'string' ? id.slice(0, 64).toLowerCase() : null;
}

const nothing = Buffer.alloc(0);

const sendGameList: Handler<'GameList'> = async ({ gameList }, { client_id }, given) => {
  const { etag, plain, gzip } = await gameList(client_id);
  const headers = { etag, vary: 'accept-encoding' };
  if (namesTag(given['if-none-match'], etag)) return new Rendered(304, headers, nothing);
  if (!acceptsGzip(given['accept-encoding'])) return new Rendered(200, headers, plain);
  return new Rendered(200, { ...headers, 'content-encoding': 'gzip' }, gzip);
};

/** In turn with the reads of other callers. While the database is unavailable it is refused at once, as lanes refuse writes. */
const inTurn =
  <N extends OperationName>(read: Read<N>, callerOf: (body: RequestOf<N>) => string): Handler<N> =>
  async (services, body) => {
    if (!services.isDatabaseUp()) return refuse('unavailable');
    return (await services.readTurns.take(callerOf(body), () => read(services, body))) ?? refuse('unavailable');
  };

const addJobPart: Handler<'JobAdd'> = async (services, body) => {
  const add = () => submitCommand(services, body.client_id, addJobPartCommand(body));
  return (await services.partTurns.take(partnerOf(body), add)) ?? refuse('unavailable');
};

const partnerOf = ({ client_id }: { client_id: number }): string => `partner ${client_id}`;

const handlers: { [N in OperationName]: Handler<N> } = {
  CampaignCreate: (services, body) => submitCommand(services, body.client_id, createCampaignCommand(body)),
  CampaignGet: inTurn(readCampaign, partnerOf),
  CampaignList: inTurn(readCampaigns, partnerOf),
  CampaignStop: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'stop_campaign', campaignId: body.campaign_id }),
  Issue: (services, { client_id, ...item }) => submitCommand(services, client_id, issueCommand(item as IssueItem)),
  IssueBatch: issueBatch,
  Cancel: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'cancel_free_bet', issueId: body.issue_id.toLowerCase() }),
  FreeBetGet: inTurn(readFreeBet, partnerOf),
  FreeBetList: inTurn(readFreeBets, partnerOf),
  JobCreate: (services, body) => submitCommand(services, body.client_id, createJobCommand(body)),
  JobAdd: addJobPart,
  JobStart: (services, { client_id, job_id, parts, items }) =>
    submitCommand(services, client_id, { kind: 'start_job', jobId: job_id.toLowerCase(), parts, items }),
  JobGet: inTurn(readJob, partnerOf),
  JobList: inTurn(readJobs, partnerOf),
  JobRefusals: inTurn(readJobRefusals, partnerOf),
  JobStop: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'stop_job', jobId: body.job_id.toLowerCase() }),
  GameList: sendGameList,
  EventsList: inTurn(readEvents, partnerOf),
  RoundsAvailable: inTurn(readAvailable, ({ provider_id }) => `provider ${provider_id}`),
  RoundsBet: (services, body) => submitCommand(services, body.client_id, placeBetCommand(body)),
  RoundsSettle: (services, body) => submitCommand(services, body.client_id, settleBetCommand(body)),
  RoundsRollback: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'roll_back_bet', ...betOf(body) }),
};

/** The body has been found valid for the operation. */
export const answerTo = <N extends OperationName>(
  operation: N,
  services: Services,
  body: unknown,
  headers: IncomingHttpHeaders,
): Promise<Outcome<ResponseOf<N>> | Rendered> => handlers[operation](services, body as RequestOf<N>, headers);
