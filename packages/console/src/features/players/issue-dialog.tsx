import type { CampaignGetResponse, FreeBetBody } from '@freebets/contract';
import { Alert, Loader, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { callQuery, useDryRun } from '../../api/queries.ts';
import { newId } from '../../ui/address.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Money, MoneyList } from '../../ui/figures.tsx';
import { useFittingCurrencies } from '../../ui/games.tsx';
import { Time } from '../../ui/time.tsx';
import { costOfFreeBet } from '../campaigns/cost.ts';
import { CampaignPicker } from '../campaigns/picker.tsx';
import { useStakeReturned } from '../campaigns/terms.tsx';
import { isComplete, newOwnForm, OwnTermsFields, ownTermsOf, TermsChoice } from '../drafts/own-terms.tsx';
import { plainError } from '../drafts/words.tsx';

interface IssueDialogProps {
  clientId: number;
  /** Set on the screen of a player. */
  playerId?: string;
  /** Set on the screen of a campaign. */
  campaign?: CampaignGetResponse;
  /** The currency of the player's latest free bet. */
  usualCurrency?: string | undefined;
  onClose(): void;
}

/** The chosen terms, from a campaign or the player's own, and their part of the request. */
function useTerms(clientId: number, given: CampaignGetResponse | undefined) {
  const [isOwn, setIsOwn] = useState(false);
  const own = useForm({ initialValues: newOwnForm() });
  const [campaignId, setCampaignId] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    ...callQuery('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== null,
  });
  const campaign = given ?? (data?.campaign_id === campaignId ? data : undefined);
  const fitting = useFittingCurrencies(own.values.games);
  return {
    ...{ isOwn, setIsOwn, own, campaign, setCampaignId },
    currencies: isOwn ? fitting.currencies : (campaign?.bet_amounts ?? []).map((each) => each.currency),
    request: isOwn ? ownTermsOf(own.values) : { campaign_id: campaign?.campaign_id ?? '' },
    error: isOwn ? fitting.error : campaign ? null : error,
    retry: isOwn ? fitting.retry : () => void refetch(),
    areWhole: isOwn ? isComplete(own.values) : campaign !== undefined,
  };
}

/**
 * Issues one free bet, from a campaign or with its own terms. A dry run shows first what the player would get, or why
 * not. The ID is created here, so that a repeated request issues only one.
 */
export function IssueDialog({ clientId, playerId: known, campaign: given, usualCurrency, onClose }: IssueDialogProps) {
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
      title={`Issue a free bet${known === undefined ? '' : ` to ${known}`}`}
      action="Issue free bet"
      size={isOwn ? 'lg' : 'md'}
      isBlocked={tried.data === undefined || tried.error !== null}
      onConfirm={(reason) =>
        change('Issue', { ...request, reason }).catch((error) => Promise.reject(plainError(error)))
      }
    >
      {known === undefined && (
        <TextInput
          label="Player"
          description="The partner's ID of the player."
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
      {isOwn && <OwnTermsFields clientId={clientId} form={terms.own} />}
      {currencies.length > 0 && (
        <Select label="Currency" data={currencies} value={currency} onChange={setCurrency} allowDeselect={false} />
      )}
      {terms.error && <ErrorNote error={terms.error} onRetry={terms.retry} />}
      {tried.isFetching && <Loader size="sm" aria-label="Checking" />}
      {tried.error && <ErrorNote error={plainError(tried.error)} />}
      {tried.data && !tried.error && (
        <WouldGet clientId={clientId} campaign={(!isOwn && terms.campaign) || null} freeBet={tried.data} />
      )}
    </ChangeDialog>
  );
}

interface WouldGetProps {
  clientId: number;
  /** Null for own terms. */
  campaign: CampaignGetResponse | null;
  freeBet: FreeBetBody;
}

/** The result of the dry run. */
function WouldGet({ clientId, campaign, freeBet }: WouldGetProps) {
  const most = costOfFreeBet(freeBet, useStakeReturned(clientId, campaign));
  return (
    <Alert variant="light" title={<bdi>{freeBet.player_id} would get</bdi>} role="status">
      <Text size="sm" component="div">
        {freeBet.quantity} {freeBet.quantity === 1 ? 'bet' : 'bets'} of{' '}
        <Money amount={freeBet.bet_amount} currency={freeBet.currency} /> for {freeBet.games.length}{' '}
        {freeBet.games.length === 1 ? 'game' : 'games'}.{' '}
        {freeBet.status === 'issued' && (
          <>
            Usable <Time at={freeBet.valid_from} is="ahead" />.{' '}
          </>
        )}
        Expires <Time at={freeBet.expires_at} is="ahead" />.
      </Text>
      <Text size="sm" component="div" mt={4}>
        Maximum winnings: <MoneyList amounts={most} />
      </Text>
    </Alert>
  );
}
