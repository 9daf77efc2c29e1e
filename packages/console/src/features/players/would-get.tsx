import type { CampaignGetResponse, FreeBetBody } from '@freebets/contract';
import { Alert, Text } from '@mantine/core';
import { Money, MoneyList } from '../../ui/money.tsx';
import { Time } from '../../ui/time.tsx';
import { costOfFreeBet } from '../campaigns/cost.ts';
import { useStakeReturned } from '../campaigns/stake-returned.ts';

interface WouldGetProps {
  clientId: number;
  /** Null for terms of its own. */
  campaign: CampaignGetResponse | null;
  freeBet: FreeBetBody;
}

/** What a dry run says that the player would get, and what it can cost. */
export function WouldGet({ clientId, campaign, freeBet }: WouldGetProps) {
  const most = costOfFreeBet(freeBet, useStakeReturned(clientId, campaign));
  return (
    <Alert variant="light" title={<bdi>{freeBet.player_id} would get</bdi>} role="status">
      <Text size="sm" component="div">
        {freeBet.quantity} {freeBet.quantity === 1 ? 'bet' : 'bets'} of{' '}
        <Money amount={freeBet.bet_amount} currency={freeBet.currency} />, to use in {freeBet.games.length}{' '}
        {freeBet.games.length === 1 ? 'game' : 'games'}.{' '}
        {freeBet.status === 'issued' && (
          <>
            It can be used <Time at={freeBet.valid_from} is="ahead" />.{' '}
          </>
        )}
        It expires <Time at={freeBet.expires_at} is="ahead" />.
      </Text>
      <Text size="sm" component="div" mt={4}>
        The most it can win: <MoneyList amounts={most} />
      </Text>
    </Alert>
  );
}
