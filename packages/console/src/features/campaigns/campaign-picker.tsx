import type { CampaignGetResponse, CampaignStatus } from '@freebets/contract';
import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asking } from '../../api/queries.ts';
import { cut } from '../../ui/cut.ts';
import { nothingFound } from '../../ui/nothing-found.ts';
import { campaignOptions } from './campaign-options.tsx';

interface CampaignPickerProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  clientId: number;
  /** Undefined as long as it is not known. */
  chosen: CampaignGetResponse | undefined;
  onChoose(campaignId: string | null): void;
}

const shownOfEach = 20;

/** The server searches: of ten thousand campaigns a few are here. */
function useFound(clientId: number, status: CampaignStatus, search: string) {
  const asked = { client_id: clientId, status, limit: shownOfEach, ...(search && { search }) };
  return useQuery(asking('CampaignSearch', asked));
}

/** A campaign that gives something, or will. */
export function CampaignPicker({ clientId, chosen, onChoose, ...field }: CampaignPickerProps) {
  const [typed, setTyped] = useState('');
  const wanted = typed === chosen?.name ? '' : cut(typed.trim(), 128);
  const [search] = useDebouncedValue(wanted, 200);
  const active = useFound(clientId, 'active', search);
  const scheduled = useFound(clientId, 'scheduled', search);
  const found = [...(active.data?.campaigns ?? []), ...(scheduled.data?.campaigns ?? [])];
  const error = active.error ?? scheduled.error;
  const isListed = chosen === undefined || found.some(({ campaign_id }) => campaign_id === chosen.campaign_id);
  const nothing =
    wanted === '' ? 'No campaign gives anything at present' : 'No such campaign gives anything at present';
  return (
    <Select
      label="Campaign"
      placeholder="Name or id"
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
