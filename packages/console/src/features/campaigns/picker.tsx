import type { CampaignGetResponse, CampaignStatus } from '@freebets/contract';
import { Select, type SelectProps, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callQuery } from '../../api/queries.ts';
import { moneyText } from '../../ui/figures.tsx';
import { Name } from '../../ui/page.tsx';
import { cut, nothingFound } from '../../ui/words.ts';
import { dayText } from './terms.tsx';

type Listed = Pick<CampaignGetResponse, 'campaign_id' | 'name' | 'quantity' | 'bet_amounts' | 'valid_until'>;

const maxAmounts = 3;

function aboutText({ campaign_id, quantity, bet_amounts, valid_until }: Listed): string {
  const amounts = bet_amounts.slice(0, maxAmounts).map(({ amount, currency }) => moneyText(amount, currency));
  const others = bet_amounts.length > maxAmounts ? [`${bet_amounts.length - maxAmounts} more`] : [];
  return `${campaign_id} · ${quantity} × ${[...amounts, ...others].join(' or ')} · until ${dayText(valid_until)}`;
}

/** Campaigns can share a name, so each option has a second line with details. */
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

interface CampaignPickerProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  clientId: number;
  /** Undefined while it loads. */
  chosen: CampaignGetResponse | undefined;
  onChoose(campaignId: string | null): void;
}

const shownOfEach = 20;

/** The server searches; only a few matches are loaded. */
function useFound(clientId: number, status: CampaignStatus, search: string) {
  const asked = { client_id: clientId, status, limit: shownOfEach, ...(search && { search }) };
  return useQuery(callQuery('CampaignSearch', asked));
}

/** Offers active and scheduled campaigns. */
export function CampaignPicker({ clientId, chosen, onChoose, ...field }: CampaignPickerProps) {
  const [typed, setTyped] = useState('');
  const wanted = typed === chosen?.name ? '' : cut(typed.trim(), 128);
  const [search] = useDebouncedValue(wanted, 200);
  const active = useFound(clientId, 'active', search);
  const scheduled = useFound(clientId, 'scheduled', search);
  const found = [...(active.data?.campaigns ?? []), ...(scheduled.data?.campaigns ?? [])];
  const error = active.error ?? scheduled.error;
  const isListed = chosen === undefined || found.some(({ campaign_id }) => campaign_id === chosen.campaign_id);
  const nothing = wanted === '' ? 'No active or scheduled campaigns' : 'No matching active or scheduled campaigns';
  return (
    <Select
      label="Campaign"
      placeholder="Name or ID"
      {...field}
      {...campaignOptions(isListed ? found : [chosen, ...found])}
      error={error?.message}
      value={chosen?.campaign_id ?? null}
      onChange={onChoose}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound(nothing, search === wanted, active, scheduled)}
    />
  );
}

/** The names of campaigns; their IDs while they load. */
export function useCampaignNames(clientId: number, ids: (string | null)[]): (campaignId: string) => string {
  const known = [...new Set(ids.filter((id) => id !== null))];
  const answers = useQueries({
    queries: known.map((campaign_id) => callQuery('CampaignGet', { client_id: clientId, campaign_id })),
  });
  const names = new Map(answers.flatMap(({ data }) => (data ? [[data.campaign_id, data.name] as const] : [])));
  return (campaignId) => names.get(campaignId) ?? campaignId;
}
