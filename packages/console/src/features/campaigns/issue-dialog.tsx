import type { CampaignGetResponse } from '@freebets/contract';
import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { WouldGet } from '../players/would-get.tsx';

interface IssueDialogProps {
  isOpen: boolean;
  onClose(): void;
  clientId: number;
  campaign: CampaignGetResponse;
}

/** Gives one free bet; a dry run says first what the player would get, or why not. */
export function IssueDialog({ isOpen, onClose, clientId, campaign }: IssueDialogProps) {
  const currencies = campaign.bet_amounts.map(({ currency }) => currency);
  const [playerId, setPlayerId] = useState('');
  const [currency, setCurrency] = useState(currencies[0] ?? '');
  // Each free bet given begins anew, with an id of its own.
  const [given, setGiven] = useState(0);
  const asked = { client_id: clientId, campaign_id: campaign.campaign_id, player_id: playerId.trim(), currency };
  const [tried] = useDebouncedValue(asked, 300, { leading: false });
  const isTried = tried.player_id === asked.player_id && tried.currency === currency && playerId.trim() !== '';
  const { data, error } = useQuery({
    queryKey: ['Issue', tried, given],
    queryFn: ({ signal }) => call('Issue', { ...tried, dry_run: true }, signal),
    enabled: isOpen && isTried,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const answer = isTried ? data : undefined;
  const queries = useQueryClient();
  const carryOut = async (reason: string) => {
    // With the id of the dry run: asked twice, it is still one free bet.
    await call('Issue', { ...tried, ...(answer && { issue_id: answer.issue_id }), reason });
    for (const name of ['CampaignGet', 'FreeBetList']) void queries.invalidateQueries({ queryKey: [name] });
    setGiven(given + 1);
    setPlayerId('');
  };
  return (
    <ChangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Issue to a player"
      action="Issue the free bet"
      isBlocked={answer === undefined || error !== null}
      carryOut={carryOut}
    >
      <TextInput
        label="Player"
        description="The id that the partner has for them."
        value={playerId}
        onChange={(event) => setPlayerId(event.currentTarget.value)}
        maxLength={128}
        required
      />
      <Select
        label="Currency"
        data={currencies}
        value={currency}
        onChange={(value) => setCurrency(value ?? currency)}
        allowDeselect={false}
      />
      {isTried && error && <RefusalNote error={error} />}
      {answer && !error && <WouldGet clientId={clientId} freeBet={answer} />}
    </ChangeDialog>
  );
}
