import type { FreeBetBody } from '@freebets/contract';
import { Code, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { GamePictures } from '../../ui/game-picture.tsx';
import { Money } from '../../ui/money.tsx';
import { exactText } from '../../ui/time.tsx';
import { expiryOf, leftText } from './left.ts';
import { NamedGame } from './named-game.tsx';

const Term = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" component="div" className="name">
      {children}
    </Text>
  </div>
);

function coefficients({ config: { min_coefficient: least, max_coefficient: most } }: FreeBetBody): string {
  if (least === null && most === null) return 'any';
  if (least === null) return `at most ${most}`;
  return most === null ? `at least ${least}` : `${least} to ${most}`;
}

/** Everything that it says of itself. */
export function Terms({ freeBet }: { freeBet: FreeBetBody }) {
  const { games } = freeBet;
  const expiry = expiryOf(freeBet);
  return (
    <Stack gap="xs" component="section" aria-label="Terms">
      <Title order={2}>Terms</Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} p="md" className="panel">
        <Term name="Each bet">
          <Money amount={freeBet.bet_amount} currency={freeBet.currency} />
        </Term>
        <Term name="Bets left">{leftText(freeBet)}</Term>
        <Term name="Coefficient">{coefficients(freeBet)}</Term>
        <Term name="Valid from">{exactText(freeBet.valid_from)}</Term>
        <Term name="Valid until">{exactText(freeBet.valid_until)}</Term>
        <Term name={expiry.is === 'past' ? 'Expired' : 'Expires'}>
          {expiry.at === null ? '–' : exactText(expiry.at)}
        </Term>
        <Term name="Issued">{exactText(freeBet.issued_at)}</Term>
        <Term name="Campaign">{freeBet.campaign_id ?? 'none'}</Term>
        <Term name="Id">
          <Code>{freeBet.issue_id}</Code>
        </Term>
        <Term name={games.length === 1 ? 'Game' : `${games.length} games`}>
          {games.length > 3 ? <GamePictures ids={games} most={8} /> : games.map((id) => <NamedGame key={id} id={id} />)}
        </Term>
      </SimpleGrid>
    </Stack>
  );
}
