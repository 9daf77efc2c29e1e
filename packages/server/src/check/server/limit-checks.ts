import { isDeepStrictEqual } from 'node:util';
import type { CampaignWithCounts } from '@freebets/client';
import type { Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { campaignOf, directIssue, issueFrom, newPlayer, type Parties, type Party } from './parties.ts';
import { holds, mustRefuse, mustSucceed, statusOf } from './wire.ts';

const guide = 'start/concepts#campaign';
const together = 24;

/** Sends all concurrently: exactly `places` must succeed, and the rest must be refused with this error. */
async function exactly(places: number, error: string, send: () => Promise<Exchange>): Promise<void> {
  const all = await Promise.all(Array.from({ length: together }, send));
  const given = all.filter((exchange) => statusOf(exchange) === 200).length;
  const example = all.find((exchange) => given > places === (statusOf(exchange) === 200));
  holds(given === places, `Of ${together} concurrent requests ${given} issued a free bet, not ${places}.`, example);
  for (const exchange of all) if (statusOf(exchange) !== 200) mustRefuse(exchange, error, 'A request over the limit');
}

async function isGivenBack(us: Party, config: object, player: () => string): Promise<void> {
  const campaign = await campaignOf(us, config);
  const { issue_id } = await us.call('Issue', issueFrom(us, campaign, player()));
  await us.call('Cancel', { issue_id });
  mustSucceed(await us.send('Issue', issueFrom(us, campaign, player())), 'An issue after the only one was cancelled');
}

type Counted = Pick<CampaignWithCounts, 'counts' | 'winnings' | 'exposure'>;

/** The counts of a campaign. Amounts include the figure for a partner whose players also get the stake back. */
export async function counts(
  us: Party,
  campaign_id: string,
  right: { counts: Counted['counts']; winnings: readonly string[]; exposure: readonly string[] },
): Promise<void> {
  const exchange = await us.send('CampaignGet', { campaign_id });
  const listed = mustSucceed<Counted>(exchange);
  const isRight = isDeepStrictEqual(listed.counts, right.counts);
  holds(isRight, `It counts ${JSON.stringify(listed.counts)}, not ${JSON.stringify(right.counts)}.`, exchange);
  for (const field of ['winnings', 'exposure'] as const) {
    const amount = listed[field].find(({ currency }) => currency === us.game.currency)?.amount;
    holds(
      right[field].includes(amount ?? '0.00'),
      `Its ${field} is ${amount}, not ${right[field].join(' or ')}.`,
      exchange,
    );
  }
}

export const limitChecks: Check<Parties>[] = [
  {
    id: 'limits.campaign',
    rule: 'bonus_limit holds exactly for any number of concurrent requests.',
    guide,
    advice: 'Count and issue under one lock on the campaign, or in one statement.',
    async run({ us }) {
      const campaign = await campaignOf(us, { bonus_limit: 5 });
      await exactly(5, 'bonus_limit_reached', () => us.send('Issue', issueFrom(us, campaign)));
    },
  },
  {
    id: 'limits.player',
    rule: 'bonus_limit_per_user holds exactly for any number of concurrent requests.',
    guide,
    advice: 'Count the free bets of the player under the same lock.',
    async run({ us }) {
      const campaign = await campaignOf(us, { bonus_limit_per_user: 2 });
      const player = newPlayer();
      await exactly(2, 'bonus_limit_per_user_reached', () => us.send('Issue', issueFrom(us, campaign, player)));
    },
  },
  {
    id: 'limits.given-back',
    rule: 'A cancelled free bet no longer counts towards both limits.',
    guide,
    advice: 'Count free bets that were issued and not cancelled.',
    async run({ us }) {
      await isGivenBack(us, { bonus_limit: 1 }, newPlayer);
      const player = newPlayer();
      await isGivenBack(us, { bonus_limit_per_user: 1 }, () => player);
    },
  },
  {
    id: 'limits.batch',
    rule: 'In a batch each item is decided on its own, in order: an invalid item fails no other item.',
    guide: 'partners/issue-and-cancel#issue-up-to-1000-in-one-call',
    advice: 'Return a result for each item, in the order of the items.',
    async run({ us }) {
      const good = directIssue(us);
      const last = directIssue(us);
      const bad = directIssue(us, { games: ['check-no-such-game'] });
      const exchange = await us.send('IssueBatch', { items: [good, bad, { player_id: 1 }, last] });
      const { results = [] } = mustSucceed<{ results?: { issue_id?: unknown; error?: unknown }[] }>(exchange);
      const seen = results.map(({ issue_id, error }) => (error === undefined ? issue_id : null));
      const isRight = JSON.stringify(seen) === JSON.stringify([good.issue_id, null, null, last.issue_id]);
      holds(isRight, 'Of four items the first and the last must be issued, and the others refused.', exchange);
    },
  },
  {
    id: 'limits.stopped',
    rule: 'A stopped campaign issues no more free bets. Free bets already issued stay valid.',
    guide: 'partners/campaigns#create-it',
    advice: 'Refuse with campaign_stopped, and leave free bets as they are.',
    async run({ us }) {
      const campaign = await campaignOf(us);
      const { issue_id } = await us.call('Issue', issueFrom(us, campaign));
      await us.call('CampaignStop', { campaign_id: campaign });
      mustRefuse(await us.send('Issue', issueFrom(us, campaign)), 'campaign_stopped', 'An issue after the stop');
      const free = await us.send('FreeBetGet', { issue_id });
      holds(bodyIn(free)?.status === 'active', 'A free bet that was issued before the stop is not active.', free);
    },
  },
  {
    id: 'limits.counts',
    rule: 'A campaign counts issued and cancelled free bets, and the maximum liability of the open ones.',
    guide: 'partners/campaigns#create-it',
    advice: 'Count in the transaction of the change. A cancelled free bet has no liability.',
    async run({ us }) {
      const campaign = await campaignOf(us, { max_coefficient: '3' });
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push((await us.call('Issue', issueFrom(us, campaign))).issue_id);
      await us.call('Cancel', { issue_id: ids[0] ?? '' });
      await counts(us, campaign, {
        counts: { issued: 3, cancelled: 1, expired: 0, finished: 0, bets_placed: 0 },
        winnings: ['0.00'],
        exposure: ['4.00', '6.00'],
      });
    },
  },
];
