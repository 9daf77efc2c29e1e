import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { count, moneyText } from '../../ui/money.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

type Total = AnswerOf<'PlayerGet'>['totals'][number];

/** What a player was given, can still use, and has won: one line for each currency. */
export function PlayerTotals({ clientId, playerId }: { clientId: number; playerId: string }) {
  const { data, error, refetch } = useQuery(asking('PlayerGet', { client_id: clientId, player_id: playerId }));
  if (error && !data) return <RefusalNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.player_id !== playerId || data.totals.length === 0) return null;
  return (
    <Stack gap="xs" p="md" className="panel" component="section" aria-label="In all">
      {data.totals.map((total) => (
        <TotalOf key={total.currency} total={total} />
      ))}
      {!data.is_whole && (
        <Text size="xs" c="dimmed">
          Of the latest 2 000 free bets: the player has had more.
        </Text>
      )}
    </Stack>
  );
}

function TotalOf({ total: { currency, issued, open, bets_left, bets, staked, won } }: { total: Total }) {
  const parts: [string, string][] = [
    ['Free bets', count(issued)],
    ['Open', open === 0 ? 'none' : `${count(open)}, with ${count(bets_left)} ${bets_left === 1 ? 'bet' : 'bets'} left`],
    ['Bets placed', bets === 0 ? 'none' : `${count(bets)}, staked ${moneyText(staked, currency)}`],
    ['Won', moneyText(won, currency)],
  ];
  return (
    <Group gap="lg" role="group" aria-label={currency}>
      {parts.map(([name, text]) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm" fw={600}>
            {text}
          </Text>
        </div>
      ))}
    </Group>
  );
}
