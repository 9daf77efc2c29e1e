import { Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';

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

export function SettingsFields({ settings, onChange }: { settings: Settings; onChange(settings: Settings): void }) {
  return (
    <>
      <TextInput
        label="Name"
        value={settings.name}
        onChange={({ currentTarget }) => onChange({ ...settings, name: currentTarget.value })}
        required
        maxLength={128}
        data-autofocus
      />
      <Switch
        label="A won free bet pays its stake as well"
        checked={settings.stake_returned}
        onChange={({ currentTarget }) => onChange({ ...settings, stake_returned: currentTarget.checked })}
      />
    </>
  );
}

function SettingsDialog({ partner: latest, onClose }: { partner: PartnerShown; onClose(): void }) {
  // What is sent is what is other here than it was, and not what others have changed meanwhile.
  const [{ client_id, name, stake_returned }] = useState(latest);
  const [settings, setSettings] = useState<Settings>({ name, stake_returned });
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
      <SettingsFields settings={settings} onChange={setSettings} />
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
