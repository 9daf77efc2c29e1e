import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asking } from '../../api/queries.ts';
import { nothingFound } from '../../ui/nothing-found.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { campaignOptions } from '../campaigns/campaign-options.tsx';

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
  const wanted = typed === chosen?.name ? '' : typed.trim();
  const [search] = useDebouncedValue(wanted, 200);
  const query = useQuery(asking('CampaignSearch', { client_id: clientId, limit: 20, ...(search && { search }) }));
  const found = query.data?.campaigns ?? [];
  const isListed = campaignId === undefined || found.some(({ campaign_id }) => campaign_id === campaignId);
  const { data: options = [], renderOption } = campaignOptions(isListed || !chosen ? found : [chosen, ...found]);
  return (
    <Select
      label="Campaign"
      placeholder="all"
      data={isListed || chosen ? options : [campaignId, ...options]}
      renderOption={renderOption}
      error={query.error?.message}
      value={campaignId ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound('No such campaign', search === wanted, query)}
      clearable
      miw={220}
    />
  );
}
