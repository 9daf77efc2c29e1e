import { Button, Group, MultiSelect, Switch, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog, DialogButton, WhatHappens } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';

export type PartnerShown = AnswerOf<'PartnerGet'>;

export function SettingsDetails({ partner }: { partner: PartnerShown }) {
  const may = useMay();
  return (
    <Details
      title="Settings"
      rows={[
        ['Name', partner.name],
        ['A win pays', partner.stake_returned ? 'the stake as well' : 'without the stake'],
        ['Kind', partner.sandbox ? 'sandbox, for good' : 'live'],
      ]}
      actions={
        may('PartnerUpdate') && (
          <DialogButton
            label="Change settings"
            dialog={(close) => <SettingsDialog partner={partner} onClose={close} />}
          />
        )
      }
    />
  );
}

export interface Settings {
  name: string;
  stake_returned: boolean;
}

export const SettingsFields = ({ form }: { form: Pick<UseFormReturnType<Settings>, 'getInputProps'> }) => (
  <>
    <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} data-autofocus />
    <Switch
      label="A won free bet pays its stake as well"
      {...form.getInputProps('stake_returned', { type: 'checkbox' })}
    />
  </>
);

function SettingsDialog({ partner: latest, onClose }: { partner: PartnerShown; onClose(): void }) {
  // What is sent is what is other here than it was, and not what others have changed meanwhile.
  const [{ client_id, name, stake_returned }] = useState(latest);
  const form = useForm<Settings>({ initialValues: { name, stake_returned } });
  const settings = form.values;
  const change = useChange('partner');
  const newName = settings.name.trim();
  const isOtherName = newName !== name;
  const isOtherStake = settings.stake_returned !== stake_returned;
  const given = {
    ...(isOtherName && { name: newName }),
    ...(isOtherStake && { stake_returned: settings.stake_returned }),
  };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Settings of ${name}`}
      action="Change settings"
      isDangerous={isOtherStake}
      isBlocked={newName === '' || (!isOtherName && !isOtherStake)}
      carryOut={(reason) => change('PartnerUpdate', { client_id, ...given, reason })}
    >
      <SettingsFields form={form} />
      <WhatHappens
        sentences={[
          isOtherName && `It is called ${newName || '…'} instead of ${name}.`,
          isOtherStake &&
            `Wins pay ${settings.stake_returned ? 'the stake as well' : 'without the stake'} in new campaigns, and in new bulk awards and free bets with their own terms.`,
          isOtherStake && 'Existing campaigns keep their terms, also for free bets that they give from then on.',
        ]}
      />
    </ChangeDialog>
  );
}

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
