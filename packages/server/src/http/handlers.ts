import type { IncomingHttpHeaders } from 'node:http';
import {
  type IssueBatchResponse,
  type IssueItem,
  itemError,
  type OperationName,
  type RequestOf,
} from '@freebets/contract';
import type { Command } from '../domain/command.ts';
import { done, type Outcome, refuse } from '../domain/outcome.ts';
import { partnerExists } from '../sql/partners.ts';
import { betOf, createCampaignCommand, issueCommand, placeBetCommand, settleBetCommand } from './commands.ts';
import { acceptsGzip, namesTag } from './negotiation.ts';
import { readAvailable, readCampaign, readCampaigns, readEvents, readFreeBet, readFreeBets } from './reads.ts';
import type { Services } from './services.ts';
import { validateIssueItem } from './validation.ts';

// What each operation does once its request is known to be signed and valid: a command for the lane, or a read.

type Handler<N extends OperationName> = (
  services: Services,
  body: RequestOf<N>,
  headers: IncomingHttpHeaders,
) => Promise<Outcome>;

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

async function submitCommand({ lanes }: Services, clientId: number, command: Command): Promise<Outcome> {
  const [outcome] = await lanes.submit(clientId, [command]);
  return outcome ?? refuse('internal_error');
}

/** A provider may name any partner; one that does not exist has no free bets, and must not get a lane. */
const submitRound = async (services: Services, clientId: number, command: Command, ifUnknown: Outcome) =>
  services.partnerExists(clientId) ? submitCommand(services, clientId, command) : ifUnknown;

/** A rollback is remembered even for a partner so new that this server does not know it yet: its bet may have passed. */
const rollBack: Handler<'RoundsRollback'> = async (services, body) => {
  const { client_id } = body;
  const exists = services.partnerExists(client_id) || (await partnerExists(services.reads, client_id));
  return exists ? submitCommand(services, client_id, { kind: 'roll_back_bet', ...betOf(body) }) : done({});
};

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
    const details = errors[i] ?? [];
    const outcome = details.length > 0 ? refuse('invalid_request', details) : inOrder.next().value;
    if (outcome?.ok) return outcome.value as IssueBatchResponse['results'][number];
    return { issue_id: issueIdOf(item), error: itemError(outcome ?? refuse('internal_error')) };
  });
  return done({ results });
};

/** What the caller gave as an id, valid or not, so that it can tell its items apart. */
function issueIdOf(item: unknown): string | null {
  const id = (item as { issue_id?: unknown } | null)?.issue_id;
  return typeof id === 'string' ? id.slice(0, 64).toLowerCase() : null;
}

const nothing = Buffer.alloc(0);

const sendGameList: Handler<'GameList'> = async ({ gameList }, { client_id }, given) => {
  const { etag, plain, gzip } = await gameList(client_id);
  const headers = { etag, vary: 'accept-encoding' };
  if (namesTag(given['if-none-match'], etag)) return done(new Rendered(304, headers, nothing));
  if (!acceptsGzip(given['accept-encoding'])) return done(new Rendered(200, headers, plain));
  return done(new Rendered(200, { ...headers, 'content-encoding': 'gzip' }, gzip));
};

/** While the database is away a read is refused at once, as the lanes refuse writes. */
const whenUp =
  <Body>(read: (services: Services, body: Body) => Promise<Outcome>) =>
  async (services: Services, body: Body): Promise<Outcome> =>
    services.isDatabaseUp() ? read(services, body) : refuse('unavailable');

export const handlers: { [N in OperationName]: Handler<N> } = {
  CampaignCreate: (services, body) => submitCommand(services, body.client_id, createCampaignCommand(body)),
  CampaignGet: whenUp(readCampaign),
  CampaignList: whenUp(readCampaigns),
  CampaignStop: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'stop_campaign', campaignId: body.campaign_id }),
  Issue: (services, { client_id, ...item }) => submitCommand(services, client_id, issueCommand(item as IssueItem)),
  IssueBatch: issueBatch,
  Cancel: (services, body) =>
    submitCommand(services, body.client_id, { kind: 'cancel_free_bet', issueId: body.issue_id.toLowerCase() }),
  FreeBetGet: whenUp(readFreeBet),
  FreeBetList: whenUp(readFreeBets),
  GameList: sendGameList,
  EventsList: whenUp(readEvents),
  RoundsAvailable: whenUp(readAvailable),
  RoundsBet: (services, body) =>
    submitRound(services, body.client_id, placeBetCommand(body), refuse('free_bet_not_found')),
  RoundsSettle: (services, body) =>
    submitRound(services, body.client_id, settleBetCommand(body), refuse('bet_not_found')),
  RoundsRollback: rollBack,
};
