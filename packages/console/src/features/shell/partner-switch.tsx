import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { partnersToChoose, useChosenPartner } from './chosen-partner.ts';

/** Goes to the same screen of another partner. */
export function PartnerSwitch() {
  const { partner } = useChosenPartner();
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 200);
  const { data } = useQuery(partnersToChoose(wanted === partner?.name ? '' : wanted));
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const found = data?.partners ?? [];
  const offered = partner && !found.some((each) => each.client_id === partner.client_id) ? [partner, ...found] : found;
  if (!partner || (found.length < 2 && search === '')) return null;
  return (
    <Select
      aria-label="Partner"
      size="xs"
      w={{ base: 140, sm: 200 }}
      data={offered.map(({ client_id, name }) => ({ value: String(client_id), label: name }))}
      value={String(partner.client_id)}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage="No such partner"
      allowDeselect={false}
      onChange={(value) => {
        const [, screen = 'campaigns'] = /^\/p\/\d+\/([a-z]+)/.exec(pathname) ?? [];
        if (value !== null) void navigate({ to: `/p/${value}/${screen}` });
      }}
    />
  );
}
