import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asking } from '../../api/queries.ts';
import { SearchField } from '../../ui/search-field.tsx';

interface CampaignFilterProps {
  /** Undefined for several partners. */
  clientId: number | undefined;
  campaignId: string | undefined;
  onChange(campaignId: string | undefined): void;
}

/** Of one partner campaigns are found by their names; of several they are known by their ids alone. */
export const CampaignFilter = ({ clientId, campaignId, onChange }: CampaignFilterProps) =>
  clientId === undefined ? (
    <SearchField label="Campaign" placeholder="all, or its id" value={campaignId} onSearch={onChange} maxLength={128} />
  ) : (
    <NamedCampaigns clientId={clientId} campaignId={campaignId} onChange={onChange} />
  );

function NamedCampaigns({ clientId, campaignId, onChange }: CampaignFilterProps & { clientId: number }) {
  const [typed, setTyped] = useState('');
  const chosen = useQuery({
    ...asking('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== undefined,
    placeholderData: undefined,
  }).data;
  const [search] = useDebouncedValue(typed === chosen?.name ? '' : typed.trim(), 200);
  const { data } = useQuery(asking('CampaignSearch', { client_id: clientId, limit: 20, ...(search && { search }) }));
  const found = (data?.campaigns ?? []).map(({ campaign_id, name }) => ({ value: campaign_id, label: name }));
  const isListed = campaignId === undefined || found.some(({ value }) => value === campaignId);
  return (
    <Select
      label="Campaign"
      placeholder="all"
      data={isListed ? found : [{ value: campaignId, label: chosen?.name ?? campaignId }, ...found]}
      value={campaignId ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage="No such campaign"
      clearable
      miw={220}
    />
  );
}
