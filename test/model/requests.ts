import type { OperationName } from '@freebets/contract';
import type { CreateDraft, Draft, IssueDraft, JobDraft, JobItemDraft, TermsDraft, When } from './drafts.ts';
import { type Fields, iso, type World } from './model.ts';

// From a draft to the request that is sent. Ids carry the number of the run: what a run made is of no concern to the next.

export interface Request {
  operation: OperationName;
  body: Fields;
}

export interface Moment {
  run: number;
  start: number;
  now: number;
  /** What this partner has sent before and could send again. */
  sent: Request[];
  world: World;
}

export const campaignId = (run: number, index: number): string => `run ${run}, campaign ${index}`;

const issueId = (run: number, index: number): string =>
  `${run.toString(16).padStart(8, '0')}-abcd-4000-8000-${index.toString(16).padStart(12, '0')}`;

const instant = ({ start, now }: Moment, { from, minutes, ms }: When): number =>
  (from === 'start' ? start : now) + minutes * 60_000 + ms;

function termsFields(moment: Moment, terms: TermsDraft): Fields {
  const begins = terms.validFrom === null ? moment.now : instant(moment, terms.validFrom);
  return {
    quantity: terms.quantity,
    games: terms.games,
    ...(terms.validFrom !== null && { valid_from: iso(begins) }),
    valid_until: iso(begins + terms.lastsMs),
    ...(terms.durationMin !== null && { duration_min: terms.durationMin }),
  };
}

const coefficients = ({ min, max }: TermsDraft) => ({
  ...(min !== null && { min_coefficient: min }),
  ...(max !== null && { max_coefficient: max }),
});

const configField = (config: object) => (Object.keys(config).length > 0 ? { config } : {});

const createBody = (moment: Moment, draft: CreateDraft): Fields => ({
  ...(draft.campaign !== null && { campaign_id: campaignId(moment.run, draft.campaign) }),
  name: draft.name,
  ...termsFields(moment, draft.terms),
  bet_amounts: draft.amounts,
  ...configField({
    ...(draft.bonusLimit !== null && { bonus_limit: draft.bonusLimit }),
    ...(draft.bonusLimitPerUser !== null && { bonus_limit_per_user: draft.bonusLimitPerUser }),
    ...coefficients(draft.terms),
  }),
});

function issueBody(moment: Moment, draft: IssueDraft): Fields {
  const who = {
    ...(draft.issue !== null && { issue_id: issueId(moment.run, draft.issue) }),
    player_id: draft.player,
    currency: draft.currency,
  };
  if (draft.campaign !== null) return { ...who, campaign_id: campaignId(moment.run, draft.campaign) };
  return { ...who, ...directFields(moment, draft) };
}

const directFields = (moment: Moment, { amount, terms }: Pick<IssueDraft, 'amount' | 'terms'>): Fields => ({
  bet_amount: amount,
  ...termsFields(moment, terms),
  ...configField(coefficients(terms)),
});

const jobItemBody = (
  { run }: Moment,
  { issue, player, currency, amount, quantity }: JobItemDraft,
  isDirect: boolean,
) => ({
  ...(issue !== null && { issue_id: issueId(run, issue) }),
  player_id: player,
  currency,
  ...(isDirect && amount !== null && { bet_amount: amount }),
  ...(isDirect && quantity !== null && { quantity }),
});

/** All that brings a job about, in order. */
export function jobRequests(moment: Moment, draft: JobDraft, index: number): Request[] {
  const job_id = `${issueId(moment.run, index).slice(0, 18)}-9000-${index.toString(16).padStart(12, '0')}`;
  const { campaign, name, startsInMs } = draft;
  const body = {
    job_id,
    name,
    ...(campaign === null ? directFields(moment, draft) : { campaign_id: campaignId(moment.run, campaign) }),
    ...(startsInMs !== null && { start_at: iso(moment.now + startsInMs) }),
  };
  const parts = draft.parts.map((items) => items.map((item) => jobItemBody(moment, item, campaign === null)));
  const requests: Request[] = [
    { operation: 'JobCreate', body },
    ...parts.map((items, i): Request => ({ operation: 'JobAdd', body: { job_id, part: i + 1, items } })),
    { operation: 'JobStart', body: { job_id, parts: parts.length, items: parts.flat().length } },
  ];
  return requests.map(asRead);
}

const limitsBody = (moment: Moment, draft: Extract<Draft, { kind: 'limits' }>): Fields => ({
  campaign_id: campaignId(moment.run, draft.campaign),
  bonus_limit: draft.bonusLimit,
  bonus_limit_per_user: draft.bonusLimitPerUser,
});

/** One that exists, or one of the few ids that may or may not. */
function chosenIssue({ run, world }: Moment, which: number, isKnown: boolean): string {
  const known = [...world.freeBets.keys()];
  return (isKnown ? known[which % Math.max(1, known.length)] : undefined) ?? issueId(run, which % 5);
}

/** Keys in another order, ids in capitals, instants without a fraction they do not need: the same content. */
function otherWords(value: Fields, key = ''): Fields {
  if (key === 'issue_id') return value.toUpperCase();
  if (key.startsWith('valid_')) return value.replace(/\.000Z$/, 'Z').replace(/(\.\d{3})Z$/, '$1000Z');
  if (key === 'issue_ids') return value.map((id: string) => id.toUpperCase());
  if (key === 'items') return value.map((item: Fields) => otherWords(item));
  if (key === 'config' || key === '') {
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, field]) => [name, otherWords(field, name)]),
    );
  }
  return value;
}

/** Undefined when there is nothing yet to send again. */
export function requestOf(moment: Moment, draft: Draft): Request | undefined {
  const request = made(moment, draft);
  return request && asRead(request);
}

/** As it will be read from the wire: plain values, with nothing of fast-check's about them. */
const asRead = (request: Request): Request => ({ ...request, body: JSON.parse(JSON.stringify(request.body)) });

function made(moment: Moment, draft: Draft): Request | undefined {
  switch (draft.kind) {
    case 'create':
      return { operation: 'CampaignCreate', body: createBody(moment, draft) };
    case 'issue':
      return { operation: 'Issue', body: issueBody(moment, draft) };
    case 'batch':
      return { operation: 'IssueBatch', body: { items: draft.items.map((item) => issueBody(moment, item)) } };
    case 'stop':
      return { operation: 'CampaignStop', body: { campaign_id: campaignId(moment.run, draft.campaign) } };
    case 'pause':
      return { operation: 'CampaignPause', body: { campaign_id: campaignId(moment.run, draft.campaign) } };
    case 'resume':
      return { operation: 'CampaignResume', body: { campaign_id: campaignId(moment.run, draft.campaign) } };
    case 'limits':
      return { operation: 'CampaignLimits', body: limitsBody(moment, draft) };
    case 'cancel many': {
      const issue_ids = draft.all.map(({ which, isKnown }) => chosenIssue(moment, which, isKnown));
      return { operation: 'CancelBatch', body: { issue_ids } };
    }
    case 'cancel':
      return { operation: 'Cancel', body: { issue_id: chosenIssue(moment, draft.which, draft.isKnown) } };
    case 'get':
      return { operation: 'FreeBetGet', body: { issue_id: chosenIssue(moment, draft.which, draft.isKnown) } };
    case 'again': {
      const request = moment.sent[draft.which % Math.max(1, moment.sent.length)];
      if (request === undefined || !draft.inOtherWords) return request;
      return { ...request, body: otherWords(request.body) };
    }
  }
}
