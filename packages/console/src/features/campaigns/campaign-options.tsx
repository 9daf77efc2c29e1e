import type { CampaignGetResponse } from '@freebets/contract';
import { type SelectProps, Text } from '@mantine/core';
import { moneyText } from '../../ui/money.tsx';
import { Name } from '../../ui/name.tsx';
import { dayText } from './terms.ts';

type Listed = Pick<CampaignGetResponse, 'campaign_id' | 'name' | 'quantity' | 'bet_amounts' | 'valid_until'>;

const mostAmounts = 3;

function aboutText({ campaign_id, quantity, bet_amounts, valid_until }: Listed): string {
  const amounts = bet_amounts.slice(0, mostAmounts).map(({ amount, currency }) => moneyText(amount, currency));
  const others = bet_amounts.length > mostAmounts ? [`${bet_amounts.length - mostAmounts} more`] : [];
  return `${campaign_id} · ${quantity} × ${[...amounts, ...others].join(' or ')} · until ${dayText(valid_until)}`;
}

/** Several may have one name: below it stands what tells them apart. */
export function campaignOptions(campaigns: Listed[]): Pick<SelectProps, 'data' | 'renderOption'> {
  const abouts = new Map(campaigns.map((each) => [each.campaign_id, aboutText(each)]));
  return {
    data: campaigns.map(({ campaign_id, name }) => ({ value: campaign_id, label: name })),
    renderOption: ({ option: { value, label } }) => (
      <div>
        <Name isShort>{label}</Name>
        <Text size="xs" c="dimmed" className="name">
          {abouts.get(value)}
        </Text>
      </div>
    ),
  };
}
