import type { CampaignGetResponse, DraftContents } from '@freebets/contract';
import { Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callQuery } from '../../api/queries.ts';
import { count, MoneyList, moneyText } from '../../ui/figures.tsx';
import { GamePictures, useGames } from '../../ui/games.tsx';
import { exactText } from '../../ui/time.tsx';

// The terms of a campaign, or of an unfinished draft, in plain words.

type Content = DraftContents['campaign'];

export interface Terms {
  quantity: number | null;
  games: string[];
  amounts: { currency: string; amount: string }[];
  validFrom: string | null;
  validUntil: string | null;
  durationMin: number | null;
  limit: number | null;
  limitPerPlayer: number | null;
  minCoefficient: string | null;
  maxCoefficient: string | null;
  /** Null if unknown, such as in an invalid draft. */
  stakeReturned: boolean | null;
}

/** Any field can be missing in a draft. Whether the stake is returned is a field of the draft, not of its content. */
export function termsOf(
  content: Partial<Content> | CampaignGetResponse,
  { stake_returned }: { stake_returned: boolean | null },
): Terms {
  const { config } = content;
  return {
    quantity: content.quantity ?? null,
    games: content.games ?? [],
    amounts: content.bet_amounts ?? [],
    validFrom: content.valid_from ?? null,
    validUntil: content.valid_until ?? null,
    durationMin: content.duration_min ?? null,
    limit: config?.bonus_limit ?? null,
    limitPerPlayer: config?.bonus_limit_per_user ?? null,
    minCoefficient: config?.min_coefficient ?? null,
    maxCoefficient: config?.max_coefficient ?? null,
    stakeReturned: stake_returned,
  };
}

const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? '' : 's'}`;

/** Such as "2 days". */
export function durationText(minutes: number): string {
  const [length, word] =
    (
      [
        [1440, 'day'],
        [60, 'hour'],
      ] as const
    ).find(([length]) => minutes % length === 0) ?? ([1, 'minute'] as const);
  return plural(minutes / length, word);
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
export const dayText = (time: string): string => day.format(new Date(time));

function orOf(parts: string[]): string {
  const last = parts.at(-1) ?? '…';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} or ${last}`;
}

const amountsText = (amounts: Terms['amounts']): string =>
  orOf(amounts.map((each) => moneyText(each.amount, each.currency)));

export function gamesText(games: string[], titleOf: (id: string) => string): string {
  if (games.length <= 3) return orOf(games.map(titleOf));
  return `${games.slice(0, 2).map(titleOf).join(', ')} or ${count(games.length - 2)} other games`;
}

export function coefficientsText({
  minCoefficient,
  maxCoefficient,
}: Pick<Terms, 'minCoefficient' | 'maxCoefficient'>): string {
  if (minCoefficient === null && maxCoefficient === null) return 'any';
  if (maxCoefficient === null) return `${minCoefficient} or more`;
  return minCoefficient === null ? `up to ${maxCoefficient}` : `${minCoefficient} to ${maxCoefficient}`;
}

/** The industry abbreviates stake not returned to SNR. */
const payoutText = (stakeReturned: boolean | null): string => {
  if (stakeReturned === null) return 'Not known yet';
  return stakeReturned ? 'Stake returned' : 'Stake not returned (SNR)';
};

export function limitsText({ limit, limitPerPlayer }: Pick<Terms, 'limit' | 'limitPerPlayer'>): string {
  const inAll = limit === null ? 'any number of free bets' : `up to ${plural(limit, 'free bet')}`;
  const each = limitPerPlayer === null ? 'any number' : `up to ${count(limitPerPlayer)}`;
  return `${inAll} in total, ${each} per player`;
}

/** Two or three sentences. */
function sentencesOf(terms: Terms, titleOf: (id: string) => string): string {
  const { quantity, amounts, games, validFrom, validUntil, durationMin } = terms;
  const bets = quantity === null ? '…' : plural(quantity, 'bet');
  const lasting =
    durationMin === null
      ? 'expires when the campaign ends'
      : `expires ${durationText(durationMin)} after it becomes usable`;
  return [
    `A free bet gives its player ${bets} of ${amountsText(amounts)} in ${gamesText(games, titleOf)}.`,
    `The campaign runs from ${validFrom ? dayText(validFrom) : '…'} to ${validUntil ? dayText(validUntil) : '…'}; a free bet ${lasting}.`,
    `The campaign issues ${limitsText(terms)}. Accepted odds: ${coefficientsText(terms)}.`,
  ].join(' ');
}

const maxNamed = 12;

const orNone = (value: number | null): string => (value === null ? 'no cap' : count(value));
const timeText = (time: string | null): string => (time === null ? 'not set' : exactText(time));

export function TermsPanel({ terms }: { terms: Terms }) {
  const { titleOf } = useGames(terms.games.slice(0, maxNamed));
  return (
    <Stack className="panel" p="md" gap="md">
      <Text>{sentencesOf(terms, titleOf)}</Text>
      <TermsList terms={terms} />
    </Stack>
  );
}

function TermsList({ terms }: { terms: Terms }) {
  const { titleOf } = useGames(terms.games.slice(0, maxNamed));
  const named = terms.games.slice(0, maxNamed).map(titleOf).join(', ');
  const more = terms.games.length > maxNamed ? ` and ${count(terms.games.length - maxNamed)} more` : '';
  const rows: [string, ReactNode][] = [
    [
      'Games',
      <Group key="games" gap="sm">
        <GamePictures ids={terms.games} most={5} isTitled />
        <span>{terms.games.length === 0 ? 'none selected' : named + more}</span>
      </Group>,
    ],
    ['Bets per free bet', terms.quantity ?? 'not set'],
    ['Stake per bet', <MoneyList key="amounts" amounts={terms.amounts} />],
    ['Starts', timeText(terms.validFrom)],
    ['Ends', timeText(terms.validUntil)],
    ['Free bet valid for', terms.durationMin === null ? 'until the campaign ends' : durationText(terms.durationMin)],
    ['Campaign cap', orNone(terms.limit)],
    ['Per-player cap', orNone(terms.limitPerPlayer)],
    ['Odds', coefficientsText(terms)],
    ['Payout', payoutText(terms.stakeReturned)],
  ];
  return (
    <Table variant="vertical" layout="auto" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={{ base: 110, sm: 190 }} fw={500}>
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/**
 * Whether winnings include the stake: fixed for a campaign; for free bets with their own terms it is the partner's
 * setting. True while it loads, so that no liability is shown too low.
 */
export function useStakeReturned(clientId: number, campaign?: { stake_returned: boolean } | null): boolean {
  const { data: partner } = useQuery({ ...callQuery('PartnerGet', { client_id: clientId }), enabled: !campaign });
  return campaign?.stake_returned ?? partner?.stake_returned ?? true;
}
