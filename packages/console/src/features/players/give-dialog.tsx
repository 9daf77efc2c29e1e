import type { FreeBetBody } from '@freebets/contract';
import { Alert, Group, Loader, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useDryRun, useReadAgain } from '../../api/dry-run.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { newId } from '../../ui/new-id.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Time } from '../../ui/time.tsx';
import { useGivingCampaigns } from './giving-campaigns.ts';

interface GiveProps {
  clientId: number;
  playerId: string;
  /** Of what the player has had; undefined where that is nothing. */
  usualCurrency: string | undefined;
  onClose(): void;
}

/** Gives a player one free bet of a campaign. Its id is made here, so that sent twice it is still one. */
export function GiveDialog({ clientId, playerId, usualCurrency, onClose }: GiveProps) {
  const campaigns = useGivingCampaigns(clientId);
  const [issueId] = useState(newId);
  const [campaignId, setCampaignId] = useState<string | null>(null);
  const [wantedCurrency, setCurrency] = useState<string | null>(usualCurrency ?? null);
  const readAgain = useReadAgain();
  const currencies = campaigns?.find((each) => each.campaign_id === campaignId)?.bet_amounts ?? [];
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
      <Select
        label="Campaign"
        placeholder={campaigns?.length === 0 ? 'No campaign gives anything at present' : 'Choose one'}
        data={(campaigns ?? []).map(({ campaign_id, name }) => ({ value: campaign_id, label: name }))}
        value={campaignId}
        onChange={setCampaignId}
        searchable
        limit={50}
        nothingFoundMessage="No such campaign gives anything at present"
        required
      />
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
      {tried.data && !tried.error && <WouldGet freeBet={tried.data} />}
    </ChangeDialog>
  );
}

const WouldGet = ({ freeBet }: { freeBet: FreeBetBody }) => (
  <Alert color="accent" title="They would get">
    <Text size="sm" component="div">
      {freeBet.quantity} {freeBet.quantity === 1 ? 'bet' : 'bets'} of{' '}
      <Money amount={freeBet.bet_amount} currency={freeBet.currency} /> in {freeBet.games.length}{' '}
      {freeBet.games.length === 1 ? 'game' : 'games'}.
    </Text>
    <Group gap={4}>
      <Text size="sm" component="div">
        {freeBet.status === 'issued' && (
          <>
            It can be used <Time at={freeBet.valid_from} />.{' '}
          </>
        )}
        It expires <Time at={freeBet.expires_at} />.
      </Text>
    </Group>
  </Alert>
);
