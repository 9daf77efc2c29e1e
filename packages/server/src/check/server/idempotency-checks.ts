import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { campaignOf, directIssue, issueFrom, newCampaign, newPlayer, type Parties, type Party } from './parties.ts';
import { bytesOf, holds, mustRefuse, mustSucceed } from './wire.ts';

const guide = 'partners/retries#which-ids-make-a-request-repeatable';

/** Both calls must succeed with equal responses. */
function areEqual(first: Exchange, again: Exchange, what: string): void {
  mustSucceed(first);
  mustSucceed(again, what);
  holds(isDeepStrictEqual(bodyIn(first), bodyIn(again)), `${what} got another response than the first request.`, again);
}

async function appearsOnce(party: Party, player_id: string): Promise<void> {
  const exchange = await party.send('FreeBetList', { player_id });
  const { free_bets } = mustSucceed<{ free_bets: unknown[] }>(exchange);
  holds(free_bets.length === 1, `The player has ${free_bets.length} free bets instead of one.`, exchange);
}

const together = 10;

export const idempotencyChecks: Check<Parties>[] = [
  {
    id: 'idempotency.same-content',
    rule: 'A request with the same id and content is carried out once, and gets the same response again.',
    guide,
    advice: 'Store the result under its id, and return it again.',
    async run({ us }) {
      const request = directIssue(us);
      areEqual(await us.send('Issue', request), await us.send('Issue', request), 'The same request again');
      await appearsOnce(us, request.player_id);
    },
  },
  {
    id: 'idempotency.same-values',
    rule:
      'Only the values count as content: the order of keys, the case of an id, and "1.2" for "1.20" make no ' +
      'difference.',
    guide,
    advice: 'Compare the parsed values, not the text of the request.',
    async run({ us }) {
      const config = { min_coefficient: '1.2', max_coefficient: '3' };
      const request = { client_id: us.clientId, ...directIssue(us, { config }) };
      const other = {
        ...Object.fromEntries(Object.entries(request).reverse()),
        issue_id: request.issue_id.toUpperCase(),
        config: { max_coefficient: '3.0', min_coefficient: '1.2000' },
      };
      const bytes = bytesOf(other);
      areEqual(
        await us.send('Issue', request),
        await us.send('Issue', {}, { bytes }),
        'The same request, written in another way',
      );
    },
  },
  {
    id: 'idempotency.other-content',
    rule: 'The same id with other content is refused with id_reused, and nothing changes.',
    guide,
    advice: 'Store a hash of the content with the id, and compare it.',
    async run({ us }) {
      const request = directIssue(us);
      await us.call('Issue', request);
      const other = await us.send('Issue', { ...request, bet_amount: '2.00' });
      mustRefuse(other, 'id_reused', 'The same id with another amount');
      const { bet_amount } = await us.call('FreeBetGet', { issue_id: request.issue_id });
      holds(bet_amount === '1.00', `The free bet has become one of ${bet_amount}.`, other);
    },
  },
  {
    id: 'idempotency.refused',
    rule: 'A refused request does not use up its id.',
    guide,
    advice: 'Store an id only together with its result.',
    async run({ us }) {
      const campaign = newCampaign(us);
      const request = issueFrom(us, campaign.campaign_id);
      mustRefuse(await us.send('Issue', request), 'campaign_not_found', 'An issue before its campaign exists');
      await us.call('CampaignCreate', campaign);
      mustSucceed(await us.send('Issue', request), 'The same request, once its campaign exists,');
    },
  },
  {
    id: 'idempotency.as-issued',
    rule: "A repeated issue gets the first response again, regardless of the free bet's current state.",
    guide,
    advice: 'Return the free bet as it was issued. /FreeBets/Get returns its current state.',
    async run({ us }) {
      const request = directIssue(us);
      const first = await us.send('Issue', request);
      await us.call('Cancel', { issue_id: request.issue_id });
      areEqual(first, await us.send('Issue', request), 'The same request, after the free bet was cancelled,');
    },
  },
  {
    id: 'idempotency.concurrent',
    rule: 'Equal requests at the same moment have one effect and get equal responses.',
    guide,
    advice: 'Let a unique key decide which request is first, and return its result to the others.',
    async run({ us }) {
      const request = issueFrom(us, await campaignOf(us), newPlayer());
      const all = await Promise.all(Array.from({ length: together }, () => us.send('Issue', request)));
      for (const each of all)
        areEqual(all[0] as Exchange, each, `One of ${together} equal requests at the same moment`);
      await appearsOnce(us, request.player_id);
    },
  },
  {
    id: 'idempotency.campaign',
    rule: 'A campaign is created once under its id; with other content it is refused with id_reused.',
    guide,
    advice: 'Treat campaign_id like issue_id.',
    async run({ us }) {
      const request = newCampaign(us);
      areEqual(
        await us.send('CampaignCreate', request),
        await us.send('CampaignCreate', request),
        'The same campaign again',
      );
      const other = await us.send('CampaignCreate', { ...request, quantity: 2 });
      mustRefuse(other, 'id_reused', 'The same campaign_id with another quantity');
    },
  },
  {
    id: 'idempotency.cancel',
    rule: 'A second cancellation gets the same response as the first.',
    guide: 'partners/issue-and-cancel#cancel',
    advice: 'Return {} if the free bet is already cancelled.',
    async run({ us }) {
      const { issue_id } = await us.call('Issue', directIssue(us));
      await us.call('Cancel', { issue_id });
      mustSucceed(await us.send('Cancel', { issue_id }), 'A second cancellation');
      const { status } = await us.call('FreeBetGet', { issue_id });
      holds(status === 'cancelled', `The free bet is ${status} after it was cancelled.`);
    },
  },
];
