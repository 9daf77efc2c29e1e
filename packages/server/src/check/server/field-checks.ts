import type { FreeBet } from '@freebets/client';
import type { Check } from '../check.ts';
import { bodyIn } from '../exchange.ts';
import { directIssue, issueFrom, newCampaign, type Parties, type Party } from './parties.ts';
import { holds, mustRefuse, mustSucceed } from './wire.ts';

const guide = 'reference/formats#values';

/** Each value, in place of a valid one, must be refused. */
async function allRefused(us: Party, field: string, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const exchange = await us.send('Issue', { ...directIssue(us), [field]: value });
    mustRefuse(exchange, 'invalid_request', `${field} ${JSON.stringify(value)}`);
  }
}

export const fieldChecks: Check<Parties>[] = [
  {
    id: 'fields.unknown',
    rule: 'Unknown fields are refused at every depth, so that a misspelt bonus_limit is not ignored.',
    guide,
    advice: 'Set additionalProperties to false for every object of the schema.',
    async run({ us }) {
      const misspelt = { ...newCampaign(us), config: { bonus_limits: 5 } };
      mustRefuse(await us.send('CampaignCreate', misspelt), 'invalid_request', 'config with bonus_limits');
      const surplus = { ...directIssue(us), colour: 'red' };
      mustRefuse(await us.send('Issue', surplus), 'invalid_request', 'A request with the field colour');
    },
  },
  {
    id: 'fields.types',
    rule: 'Values are not converted to other types: "10" is not 10.',
    guide,
    advice: 'Turn off type coercion in the validator.',
    async run({ us }) {
      await allRefused(us, 'quantity', ['10', true, null, 1.5]);
      await allRefused(us, 'player_id', [42]);
    },
  },
  {
    id: 'fields.bounds',
    rule: 'Every number, string and list has a limit, and values beyond it are refused.',
    guide,
    advice: 'Set limits for every field of the schema.',
    async run({ us }) {
      await allRefused(us, 'quantity', [0, -1, 1001]);
      await allRefused(us, 'player_id', ['', 'x'.repeat(129)]);
      await allRefused(us, 'games', [[], [us.game.gameId, us.game.gameId]]);
    },
  },
  {
    id: 'fields.times',
    rule: 'Times are in UTC and exist: 30 February and local times are refused.',
    guide,
    advice: 'Check the format, then whether the day exists. Date.parse alone does neither.',
    async run({ us }) {
      await allRefused(us, 'valid_until', [
        '2101-02-30T00:00:00Z',
        '2101-01-01T00:00:00+01:00',
        '2101-01-01',
        '2101-01-01T24:00:00Z',
      ]);
    },
  },
  {
    id: 'fields.money',
    rule: 'Money is a string with exactly two decimals, greater than zero.',
    guide,
    advice: 'Match ^\\d{1,13}\\.\\d{2}$ and refuse 0.00.',
    run: ({ us }) =>
      allRefused(us, 'bet_amount', [
        '1',
        '1.5',
        '1.555',
        '0.00',
        '-1.00',
        '1,00',
        '1e2',
        ' 1.00',
        1.5,
        '12345678901234.00',
      ]),
  },
  {
    id: 'fields.coefficients',
    rule: 'A coefficient is a string of at least 1 with at most four decimals, and the minimum is not above the maximum.',
    guide,
    advice: 'Match ^\\d{1,6}(\\.\\d{1,4})?$, refuse values below 1, and compare the two.',
    async run({ us }) {
      const ofMinimum = ['0.99', '1.23456', '1234567', 1.2, '-2', '2.'].map((min_coefficient) => ({ min_coefficient }));
      await allRefused(us, 'config', [...ofMinimum, { min_coefficient: '2.01', max_coefficient: '2' }]);
    },
  },
  {
    id: 'fields.exact-money',
    rule: 'Amounts are returned exactly as sent, from the smallest to the largest.',
    guide,
    advice: 'Store cents as whole numbers. Never convert an amount to floating point.',
    async run({ us }) {
      for (const bet_amount of ['0.01', '1.15', '9999999999999.99', '8888888888888.07']) {
        const exchange = await us.send('Issue', directIssue(us, { bet_amount }));
        const { bet_amount: answered } = bodyIn(exchange) ?? {};
        holds(answered === bet_amount, `The amount ${bet_amount} has become ${String(answered)}.`, exchange);
      }
    },
  },
];

const minuteMs = 60_000;
type Times = { valid_from?: string | undefined; valid_until: string; duration_min?: number | undefined };

async function expiresInTime(us: Party, request: object, { valid_from, valid_until, duration_min }: Times) {
  const exchange = await us.send('Issue', request);
  const { issued_at, expires_at } = mustSucceed<FreeBet>(exchange);
  const activation = Math.max(Date.parse(issued_at), valid_from === undefined ? 0 : Date.parse(valid_from));
  const spent = duration_min === undefined ? Number.POSITIVE_INFINITY : activation + duration_min * minuteMs;
  const right = Math.min(spent, Date.parse(valid_until));
  const reason = `Issued at ${issued_at}, it expires at ${expires_at}, not at ${new Date(right).toISOString()}.`;
  holds(Date.parse(expires_at) === right, reason, exchange);
}

export const termChecks: Check<Parties>[] = [
  {
    id: 'terms.validity',
    rule: 'A validity that ends in the past, or before it begins, is refused with invalid_validity.',
    guide: 'partners/campaigns#create-it',
    advice: 'Compare valid_until with now and with valid_from.',
    async run({ us }) {
      const past = { valid_from: '2020-01-01T00:00:00Z', valid_until: '2020-01-02T00:00:00Z' };
      mustRefuse(await us.send('Issue', directIssue(us, past)), 'invalid_validity', 'A free bet that ended in 2020');
      const turned = { valid_from: '2101-01-02T00:00:00Z', valid_until: '2101-01-01T00:00:00Z' };
      const campaign = await us.send('CampaignCreate', { ...newCampaign(us), ...turned });
      mustRefuse(campaign, 'invalid_validity', 'A campaign that ends before it begins');
    },
  },
  {
    id: 'terms.game',
    rule: 'A game that is not offered to the partner is refused with game_not_available.',
    guide: 'partners/campaigns#create-it',
    advice: 'Look up every game in the list that /Game/List returns for this partner.',
    async run({ us }) {
      const request = directIssue(us, { games: [us.game.gameId, 'check-no-such-game'] });
      mustRefuse(await us.send('Issue', request), 'game_not_available', 'A game that does not exist');
    },
  },
  {
    id: 'terms.currency',
    rule: 'A currency that the provider of a game does not support is refused with currency_not_allowed.',
    guide: 'partners/campaigns#create-it',
    advice: 'Compare the currency with the currencies of every provider concerned.',
    async run({ us }) {
      const request = directIssue(us, { currency: 'NOSUCH' });
      mustRefuse(await us.send('Issue', request), 'currency_not_allowed', 'The currency NOSUCH');
    },
  },
  {
    id: 'terms.expiry',
    rule:
      'A free bet expires at the earlier of activation + duration_min and valid_until, and expires_at shows ' +
      'that time.',
    guide: 'start/concepts#time',
    advice: 'Count duration_min from the later of the issue and valid_from. Without duration_min, use valid_until.',
    async run({ us }) {
      const { issued_at } = await us.call('Issue', directIssue(us));
      const later = (minutes: number) => new Date(Date.parse(issued_at) + minutes * minuteMs).toISOString();
      const scheduled = { valid_from: later(60), duration_min: 90 };
      const untimed: Partial<Times> = { duration_min: undefined };
      for (const times of [{ duration_min: 90 }, scheduled, { ...scheduled, valid_until: later(120) }, untimed]) {
        const request = { ...directIssue(us), ...times };
        await expiresInTime(us, request, request);
      }
      const campaign = newCampaign(us);
      await us.call('CampaignCreate', campaign);
      await expiresInTime(us, issueFrom(us, campaign.campaign_id), campaign);
    },
  },
];
