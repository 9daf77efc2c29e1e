import type { CampaignGetResponse } from '@freebets/contract';
import { Loader, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { useDryRun } from '../../api/dry-run.ts';
import { asking } from '../../api/queries.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { newId } from '../../ui/new-id.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { CampaignPicker } from '../campaigns/campaign-picker.tsx';
import { useFittingCurrencies } from '../drafts/amounts-step.tsx';
import { isWhole, newOwnForm, OwnTermsFields, ownTermsOf, TermsChoice } from '../drafts/own-terms.tsx';
import { plainRefusal } from '../drafts/problems.ts';
import { WouldGet } from './would-get.tsx';

interface GiveProps {
  clientId: number;
  /** Where it is asked for on the page of a player. */
  playerId?: string;
  /** Where it is asked for on the page of a campaign. */
  campaign?: CampaignGetResponse;
  /** Of what the player has had. */
  usualCurrency?: string | undefined;
  onClose(): void;
}

/** Of a campaign, or of its own: what is chosen so far, and what it is for the service. */
function useTerms(clientId: number, given: CampaignGetResponse | undefined) {
  const [isOwn, setIsOwn] = useState(false);
  const [own, setOwn] = useState(newOwnForm);
  const [campaignId, setCampaignId] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    ...asking('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== null,
  });
  const campaign = given ?? (data?.campaign_id === campaignId ? data : undefined);
  const fitting = useFittingCurrencies(own.form.games);
  return {
    ...{ isOwn, setIsOwn, own, setOwn, campaign, setCampaignId },
    currencies: isOwn ? fitting.currencies : (campaign?.bet_amounts ?? []).map((each) => each.currency),
    request: isOwn ? ownTermsOf(own) : { campaign_id: campaign?.campaign_id ?? '' },
    error: isOwn ? fitting.error : campaign ? null : error,
    retry: isOwn ? fitting.retry : () => void refetch(),
    areWhole: isOwn ? isWhole(own) : campaign !== undefined,
  };
}

/**
 * Gives a player one free bet, of a campaign or with terms of its own; a dry run says first what the player would get, or why not.
 * Its id is made here, so that sent twice it is still one.
 */
export function GiveDialog({ clientId, playerId: known, campaign: given, usualCurrency, onClose }: GiveProps) {
  const [issueId] = useState(newId);
  const [typedPlayer, setPlayer] = useState('');
  const [wantedCurrency, setCurrency] = useState<string | null>(usualCurrency ?? null);
  const change = useChange('free_bet');
  const terms = useTerms(clientId, given);
  const { isOwn, currencies } = terms;
  const currency = currencies.find((each) => each === wantedCurrency) ?? currencies[0] ?? '';
  const playerId = known ?? typedPlayer.trim();
  const request = { client_id: clientId, issue_id: issueId, player_id: playerId, currency, ...terms.request };
  const text = JSON.stringify(request);
  const [settled] = useDebouncedValue(text, 250);
  const isAsked = playerId !== '' && currency !== '' && terms.areWhole;
  const tried = useDryRun('Issue', request, isAsked && settled === text);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Give ${known ?? 'a player'} a free bet`}
      action="Give the free bet"
      size={isOwn ? 'lg' : 'md'}
      isBlocked={tried.data === undefined || tried.error !== null}
      carryOut={(reason) =>
        change('Issue', { ...request, reason }).catch((error) => Promise.reject(plainRefusal(error)))
      }
    >
      {known === undefined && (
        <TextInput
          label="Player"
          description="The id that the partner has for them."
          value={typedPlayer}
          onChange={(event) => setPlayer(event.currentTarget.value)}
          maxLength={128}
          required
        />
      )}
      {given === undefined && <TermsChoice isOwn={isOwn} onChoose={terms.setIsOwn} />}
      {given === undefined && !isOwn && (
        <CampaignPicker clientId={clientId} chosen={terms.campaign} onChoose={terms.setCampaignId} required />
      )}
      {isOwn && <OwnTermsFields clientId={clientId} own={terms.own} onChange={terms.setOwn} />}
      {currencies.length > 0 && (
        <Select label="Currency" data={currencies} value={currency} onChange={setCurrency} allowDeselect={false} />
      )}
      {terms.error && <RefusalNote error={terms.error} onRetry={terms.retry} />}
      {tried.isFetching && <Loader size="sm" aria-label="Trying it" />}
      {tried.error && <RefusalNote error={plainRefusal(tried.error)} />}
      {tried.data && !tried.error && (
        <WouldGet clientId={clientId} campaign={(!isOwn && terms.campaign) || null} freeBet={tried.data} />
      )}
    </ChangeDialog>
  );
}
