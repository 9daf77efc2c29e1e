import { Loader, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useDryRun, useReadAgain } from '../../api/dry-run.ts';
import { asking } from '../../api/queries.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { newId } from '../../ui/new-id.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { CampaignPicker } from '../campaigns/campaign-picker.tsx';
import { WouldGet } from './would-get.tsx';

interface GiveProps {
  clientId: number;
  playerId: string;
  /** Of what the player has had; undefined where that is nothing. */
  usualCurrency: string | undefined;
  onClose(): void;
}

/** Gives a player one free bet of a campaign. Its id is made here, so that sent twice it is still one. */
export function GiveDialog({ clientId, playerId, usualCurrency, onClose }: GiveProps) {
  const [issueId] = useState(newId);
  const [campaignId, setCampaignId] = useState<string | null>(null);
  const [wantedCurrency, setCurrency] = useState<string | null>(usualCurrency ?? null);
  const readAgain = useReadAgain();
  const { data } = useQuery({
    ...asking('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== null,
  });
  const campaign = data?.campaign_id === campaignId ? data : undefined;
  const currencies = campaign?.bet_amounts ?? [];
  const currency = currencies.find((each) => each.currency === wantedCurrency)?.currency ?? currencies[0]?.currency;
  const request = {
    client_id: clientId,
    issue_id: issueId,
    campaign_id: campaignId ?? '',
    player_id: playerId,
    currency: currency ?? '',
  };
  const tried = useDryRun('Issue', request, campaignId !== null && currency !== undefined);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Give ${playerId} a free bet`}
      action="Give the free bet"
      isBlocked={tried.data === undefined || tried.error !== null}
      carryOut={async (reason) => {
        await call('Issue', { ...request, reason });
        await readAgain('FreeBetList', 'CampaignGet');
      }}
    >
      <CampaignPicker clientId={clientId} chosen={campaign} onChoose={setCampaignId} required />
      {currencies.length > 0 && (
        <Select
          label="Currency"
          data={currencies.map((each) => each.currency)}
          value={currency ?? null}
          onChange={setCurrency}
          allowDeselect={false}
        />
      )}
      {tried.isFetching && <Loader size="sm" aria-label="Trying it" />}
      {tried.error && <RefusalNote error={tried.error} />}
      {tried.data && !tried.error && <WouldGet clientId={clientId} freeBet={tried.data} />}
    </ChangeDialog>
  );
}
