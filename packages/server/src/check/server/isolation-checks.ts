import { setTimeout as pause } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { bodyIn } from '../exchange.ts';
import { eventsAfter, headOf } from './feed-checks.ts';
import { bothOf, directIssue, issueFrom, newCampaign, type Parties } from './parties.ts';
import { holds, mustRefuse, mustSucceed } from './wire.ts';

const guide = 'partners/retries#which-ids-make-a-request-repeatable';

export const isolationChecks: Check<Parties>[] = [
  {
    id: 'isolation.same-ids',
    rule: 'Two partners may use the same ids: each has its own campaign and free bet under them.',
    guide,
    advice: 'Let client_id be part of every key.',
    async run(parties) {
      const { us, other } = bothOf(parties);
      const [ours, theirs] = [newCampaign(us), newCampaign(other)];
      await us.call('CampaignCreate', ours);
      const campaign = await other.send('CampaignCreate', { ...theirs, campaign_id: ours.campaign_id, quantity: 2 });
      mustSucceed(campaign, 'Another partner’s campaign under the same campaign_id');
      const issue = directIssue(us);
      await us.call('Issue', issue);
      const request = directIssue(other, { issue_id: issue.issue_id, bet_amount: '2.00' });
      mustSucceed(await other.send('Issue', request), 'Another partner’s free bet under the same issue_id');
      const own = await us.send('FreeBetGet', { issue_id: issue.issue_id });
      holds(bodyIn(own)?.bet_amount === '1.00', 'The free bet shows what another partner has issued.', own);
    },
  },
  {
    id: 'isolation.read',
    rule: 'Another partner’s free bets and campaigns cannot be read: they are as if they did not exist.',
    guide,
    advice: 'Look things up by client_id and id, never by the id alone.',
    async run(parties) {
      const { us, other } = bothOf(parties);
      const free = directIssue(us);
      const { issue_id } = await us.call('Issue', free);
      const { campaign_id } = await us.call('CampaignCreate', newCampaign(us));
      mustRefuse(await other.send('FreeBetGet', { issue_id }), 'free_bet_not_found', 'Another partner’s read');
      const campaign = await other.send('CampaignGet', { campaign_id });
      mustRefuse(campaign, 'campaign_not_found', 'Another partner’s read of a campaign');
      const list = await other.send('FreeBetList', { player_id: free.player_id });
      const { free_bets } = mustSucceed<{ free_bets: unknown[] }>(list);
      holds(free_bets.length === 0, 'The list of a player holds a free bet of another partner.', list);
    },
  },
  {
    id: 'isolation.change',
    rule: 'Another partner’s free bets cannot be cancelled, nor its campaigns stopped or issued from.',
    guide,
    advice: 'Look things up by client_id and id before changing them, too.',
    async run(parties) {
      const { us, other } = bothOf(parties);
      const { issue_id } = await us.call('Issue', directIssue(us));
      mustRefuse(await other.send('Cancel', { issue_id }), 'free_bet_not_found', 'Another partner’s cancellation');
      const { status } = await us.call('FreeBetGet', { issue_id });
      holds(status === 'active', `The free bet is ${status} after another partner has tried to cancel it.`);
      const { campaign_id } = await us.call('CampaignCreate', newCampaign(us));
      const stop = await other.send('CampaignStop', { campaign_id });
      mustRefuse(stop, 'campaign_not_found', 'Another partner’s stop of a campaign');
      const issue = await other.send('Issue', issueFrom(other, campaign_id));
      mustRefuse(issue, 'campaign_not_found', 'Another partner’s issue from a campaign');
      const own = await us.send('Issue', issueFrom(us, campaign_id));
      mustSucceed(own, 'An issue from a campaign that another partner has tried to stop');
    },
  },
  {
    id: 'isolation.feed',
    rule: 'A partner’s feed holds its own events only.',
    guide: 'partners/events#keep-a-cursor',
    advice: 'Number and read the events of each partner by themselves.',
    async run(parties) {
      const { us, other } = bothOf(parties);
      const from = await headOf(other);
      const { issue_id } = await us.call('Issue', directIssue(us));
      await pause(200);
      const { events, exchange } = await eventsAfter(other, from);
      const isForeign = events.some((event) => JSON.stringify(event).includes(issue_id));
      holds(!isForeign, 'The feed holds an event of another partner.', exchange);
    },
  },
];
