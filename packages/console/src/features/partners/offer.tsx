import { Button, Group, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import type { PartnerShown } from './settings.tsx';

// An offer gives a partner the games of a provider.

function useProviderNames() {
  const { data } = useQuery(asking('ProviderList', {}));
  const providers = data?.providers ?? [];
  const names = new Map(providers.map(({ provider_id, name }) => [provider_id, name]));
  return { providers, nameOf: (id: string) => names.get(id) ?? id };
}

export function OfferDetails({ partner }: { partner: PartnerShown }) {
  const may = useMay();
  const { nameOf } = useProviderNames();
  return (
    <Details
      title="Offer"
      rows={partner.offers.length === 0 ? [['Providers', 'none: it can make no campaign']] : []}
      actions={
        may('PartnerOffer') && (
          <DialogButton label="Change offer" dialog={(close) => <OfferDialog partner={partner} onClose={close} />} />
        )
      }
    >
      <Group gap="xs">
        {partner.offers.map((id) => (
          <Button key={id} component={Link} to={`/providers/${id}`} variant="light" size="compact-sm">
            {nameOf(id)}
          </Button>
        ))}
      </Group>
    </Details>
  );
}

export function OfferField({ offers, onChange }: { offers: string[]; onChange(offers: string[]): void }) {
  const { providers } = useProviderNames();
  const isAll = offers.length === providers.length;
  return (
    <>
      <MultiSelect
        label="Providers offered"
        description="The partner can use all games of these."
        data={providers.map(({ provider_id, name }) => ({ value: provider_id, label: name }))}
        value={offers}
        onChange={onChange}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Offer none' }}
        nothingFoundMessage="No such provider"
      />
      {!isAll && providers.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => onChange(providers.map(({ provider_id }) => provider_id))}
        >
          Offer all {providers.length}
        </Button>
      )}
    </>
  );
}

function OfferDialog({ partner, onClose }: { partner: PartnerShown; onClose(): void }) {
  const { client_id, name, offers: before } = partner;
  const { nameOf } = useProviderNames();
  const [offers, setOffers] = useState(before);
  const [opened] = useState(before);
  const change = useChange('partner');
  const namesIn = (some: string[], others: string[]) =>
    some
      .filter((id) => !others.includes(id))
      .map(nameOf)
      .join(', ');
  const [added, cut] = [namesIn(offers, before), namesIn(before, offers)];
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`What ${name} is offered`}
      action="Change offer"
      isDangerous={cut !== ''}
      isOutdated={opened.join() !== before.join()}
      isBlocked={added === '' && cut === ''}
      carryOut={(reason) => change('PartnerOffer', { client_id, offers, as_read: { offers: opened }, reason })}
    >
      <OfferField offers={offers} onChange={setOffers} />
      <WhatHappens
        sentences={[
          added !== '' && `Gets the games of ${added}.`,
          cut !== '' &&
            `No new campaigns or direct free bets in the games of ${cut}. Campaigns that exist go on, and free bets already given can be used.`,
        ]}
      />
    </ChangeDialog>
  );
}
