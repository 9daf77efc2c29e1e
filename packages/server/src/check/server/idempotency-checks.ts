import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { campaignOf, directIssue, issueFrom, newCampaign, newPlayer, type Parties, type Party } from './parties.ts';
import { bytesOf, holds, mustRefuse, mustSucceed } from './wire.ts';

const guide = 'partners#repeating-and-retrying';

/** Both calls must succeed with equal responses. */
function areEqual(first: Exchange, again: Exchange, what: string): void {
  mustSucceed(first);
  mustSucceed(again, what);
  holds(isDeepStrictEqual(bodyIn(first), bodyIn(again)), `${what} got another answer than the first.`, again);
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
    rule: 'The same id with the same content is carried out one time, and gets the same answer again.',
    guide,
    advice: 'Keep what was made under an id, and answer with it.',
    async run({ us }) {
      const request = directIssue(us);
      areEqual(await us.send('Issue', request), await us.send('Issue', request), 'The same request again');
      await appearsOnce(us, request.player_id);
    },
  },
  {
    id: 'idempotency.same-values',
    rule: 'Content means the values: the order of keys, the case of an id and "1.2" for "1.20" do not matter.',
    guide,
    advice: 'Compare what was read from the request, not its text.',
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
        'The same request, written in another way,',
      );
    },
  },
  {
    id: 'idempotency.other-content',
    rule: 'The same id with other content is refused with id_reused, and what there is stays as it is.',
    guide,
    advice: 'Keep a hash of the content with the id, and compare it.',
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
    rule: 'A refused request uses up nothing: its id may be used again.',
    guide,
    advice: 'Remember an id only with what was made under it.',
    async run({ us }) {
      const campaign = newCampaign(us);
      const request = issueFrom(us, campaign.campaign_id);
      mustRefuse(await us.send('Issue', request), 'campaign_not_found', 'An issue before its campaign is there');
      await us.call('CampaignCreate', campaign);
      mustSucceed(await us.send('Issue', request), 'The same, when its campaign is there,');
    },
  },
  {
    id: 'idempotency.as-issued',
    rule: 'A repeated issue is answered as the first time, whatever has become of the free bet.',
    guide,
    advice: 'Answer with the free bet as it was issued; how it stands is told by /FreeBets/Get.',
    async run({ us }) {
      const request = directIssue(us);
      const first = await us.send('Issue', request);
      await us.call('Cancel', { issue_id: request.issue_id });
      areEqual(first, await us.send('Issue', request), 'The same request, after the free bet was cancelled,');
    },
  },
  {
    id: 'idempotency.concurrent',
    rule: 'Equal requests at the same moment have one effect, and get equal answers.',
    guide,
    advice: 'Let a unique key decide who is first, and let the others read what that one has made.',
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
    rule: 'A campaign is created one time under its id; with other content it is refused with id_reused.',
    guide,
    advice: 'Treat campaign_id as issue_id is treated.',
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
    rule: 'Cancelling a second time is answered as the first.',
    guide: 'partners#cancelling',
    advice: 'Answer {} where the free bet is cancelled already.',
    async run({ us }) {
      const { issue_id } = await us.call('Issue', directIssue(us));
      await us.call('Cancel', { issue_id });
      mustSucceed(await us.send('Cancel', { issue_id }), 'A second cancellation');
      const { status } = await us.call('FreeBetGet', { issue_id });
      holds(status === 'cancelled', `The free bet is ${status} after it was cancelled.`);
    },
  },
];
