import { Button, Group, MultiSelect, Switch, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';

export type PartnerShown = CallResponse<'PartnerGet'>;

export function SettingsDetails({ partner }: { partner: PartnerShown }) {
  const may = useMay();
  return (
    <Details
      title="Settings"
      rows={[
        ['Name', partner.name],
        ['Payout', partner.stake_returned ? 'Stake returned' : 'Stake not returned (SNR)'],
        ['Type', partner.sandbox ? 'sandbox' : 'live'],
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
    <Switch label="Return the stake with winnings" {...form.getInputProps('stake_returned', { type: 'checkbox' })} />
  </>
);

function SettingsDialog({ partner: latest, onClose }: { partner: PartnerShown; onClose(): void }) {
  // Sends only the fields that the user changed, so that it does not undo a colleague's changes.
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
      onConfirm={(reason) => change('PartnerUpdate', { client_id, ...given, reason })}
    >
      <SettingsFields form={form} />
      <Consequences
        sentences={[
          isOtherName && `The name changes from ${name} to ${newName || '…'}.`,
          isOtherStake &&
            `${settings.stake_returned ? 'Stake returned' : 'Stake not returned (SNR)'} in new campaigns, and in new bulk awards and free bets with their own terms.`,
          isOtherStake && 'Existing campaigns keep their payout, even for free bets they issue later.',
        ]}
      />
    </ChangeDialog>
  );
}

// The offer: the game providers whose games the partner can use.

function useProviderNames() {
  const { data } = useQuery(callQuery('ProviderList', {}));
  const providers = data?.providers ?? [];
  const names = new Map(providers.map(({ provider_id, name }) => [provider_id, name]));
  return { providers, nameOf: (id: string) => names.get(id) ?? id };
}

export function OfferDetails({ partner }: { partner: PartnerShown }) {
  const may = useMay();
  const { nameOf } = useProviderNames();
  return (
    <Details
      title="Game providers"
      rows={partner.offers.length === 0 ? [['Offered', 'none: the partner cannot create campaigns']] : []}
      actions={
        may('PartnerOffer') && (
          <DialogButton
            label="Change game providers"
            dialog={(close) => <OfferDialog partner={partner} onClose={close} />}
          />
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
        label="Game providers offered"
        description="The partner can use all their games."
        data={providers.map(({ provider_id, name }) => ({ value: provider_id, label: name }))}
        value={offers}
        onChange={onChange}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear all' }}
        nothingFoundMessage="No matching game providers"
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
      title={`Game providers of ${name}`}
      action="Change game providers"
      isDangerous={cut !== ''}
      isOutdated={opened.join() !== before.join()}
      isBlocked={added === '' && cut === ''}
      onConfirm={(reason) => change('PartnerOffer', { client_id, offers, as_read: { offers: opened }, reason })}
    >
      <OfferField offers={offers} onChange={setOffers} />
      <Consequences
        sentences={[
          added !== '' && `The partner gets the games of ${added}.`,
          cut !== '' &&
            `No new campaigns or free bets without a campaign in the games of ${cut}. Existing campaigns continue, and issued free bets can still be used.`,
        ]}
      />
    </ChangeDialog>
  );
}
