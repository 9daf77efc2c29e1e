import type { FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { callQuery, listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idFromPath, oneOf } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count, Money, moneyText } from '../../ui/figures.tsx';
import { GamePictures } from '../../ui/games.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status, StatusFilter } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useCampaignNames } from '../campaigns/picker.tsx';
import { CancelDialog, isCancellable } from '../free-bets/actions.tsx';
import { expiryOf, leftText } from '../free-bets/left.ts';
import { type Story, useStories, wonIn } from '../free-bets/story.ts';
import { IssueDialog } from './issue-dialog.tsx';
import { UnknownPlayer } from './no-such-player.tsx';
import { PlayerTimeline } from './player-timeline.tsx';

const route = getRouteApi('/inside/p/$clientId/players/$playerId');

const statuses = ['active', 'in_use', 'issued', 'finished', 'expired', 'cancelled'] as const satisfies FreeBetStatus[];

interface Shown {
  clientId: number;
  stories: Map<string, Story>;
  nameOf(campaignId: string): string;
  /** Undefined if the user's role does not allow it. */
  cancel: ((freeBet: FreeBetBody) => void) | undefined;
}

const freeBetColumn = ({ clientId, nameOf }: Pick<Shown, 'clientId' | 'nameOf'>): Column<FreeBetBody> => ({
  title: 'Free bet',
  cell: ({ issue_id, campaign_id, quantity, bet_amount, currency }) => (
    <Box miw={120}>
      <Anchor inherit component={Link} to={`/p/${clientId}/free-bets/${issue_id}`} fw={600}>
        {quantity} × <Money amount={bet_amount} currency={currency} />
      </Anchor>
      <Text size="xs" c="dimmed" lineClamp={1} className="name">
        {campaign_id === null ? 'without a campaign' : nameOf(campaign_id)}
      </Text>
    </Box>
  ),
});

const columns = ({ clientId, stories, cancel, nameOf }: Shown): Column<FreeBetBody>[] => [
  freeBetColumn({ clientId, nameOf }),
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Left', isFigure: true, cell: leftText },
  {
    title: 'Won',
    isFigure: true,
    isMinor: true,
    cell: ({ issue_id, currency, remaining, quantity }) => {
      const story = stories.get(issue_id);
      if (remaining === quantity) return '–';
      return story ? <Money amount={wonIn(story.bets)} currency={currency} /> : '…';
    },
  },
  { title: 'Games', isMinor: true, cell: ({ games }) => <GamePictures ids={games} /> },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
  { title: 'Expires', isMinor: true, cell: (freeBet) => <Time {...expiryOf(freeBet)} /> },
  ...(cancel
    ? [
        {
          title: 'Actions',
          isMinor: true,
          cell: (freeBet: FreeBetBody) =>
            isCancellable(freeBet) && (
              <Button size="compact-xs" variant="default" onClick={() => cancel(freeBet)}>
                Cancel…
              </Button>
            ),
        },
      ]
    : []),
];

export function Player() {
  const { clientId: clientText, playerId: playerText } = route.useParams();
  const [clientId, playerId] = [Number(clientText), idFromPath(playerText)];
  const status = oneOf(statuses, route.useSearch().status);
  const navigate = route.useNavigate();
  const may = useMay();
  const [isIssuing, issuing] = useDisclosure(false);
  const [cancelling, setCancelling] = useState<FreeBetBody | null>(null);
  const query = useInfiniteQuery(
    listQuery('FreeBetList', { client_id: clientId, player_id: playerId, limit: 25, ...(status && { status }) }),
  );
  const pages = query.data?.pages.map((page) => page.free_bets) ?? [];
  const shown = pages.flat();
  const isUnknown = status === undefined && pages.length > 0 && shown.length === 0;
  const history = useStories(clientId, pages);
  const { stories } = history;
  const nameOf = useCampaignNames(
    clientId,
    shown.map(({ campaign_id }) => campaign_id),
  );
  return (
    <Page
      title={playerId}
      about="Player"
      actions={
        may('Issue') && (
          <Button variant={isUnknown ? 'default' : 'filled'} onClick={issuing.open}>
            Issue free bet
          </Button>
        )
      }
    >
      <PlayerTotals clientId={clientId} playerId={playerId} />
      <StatusFilter
        label="Status"
        words={statuses}
        value={status}
        onChange={(value) => void navigate({ search: value ? { status: value } : {}, replace: true })}
      />
      <ListTable
        label={`Free bets of ${playerId}`}
        query={query}
        rowsOf={(page) => page.free_bets}
        keyOf={({ issue_id }) => issue_id}
        columns={columns({ clientId, stories, nameOf, cancel: may('Cancel') ? setCancelling : undefined })}
        empty={
          status === undefined ? (
            <UnknownPlayer clientId={clientId} playerId={playerId} />
          ) : (
            <Empty title="No free bets with this status">Choose another status.</Empty>
          )
        }
      />
      {history.error && <ErrorNote error={history.error} onRetry={history.retry} />}
      <PlayerTimeline {...{ clientId, freeBets: shown, history, nameOf, status, list: query }} />
      {isIssuing && (
        <IssueDialog {...{ clientId, playerId, usualCurrency: shown[0]?.currency, onClose: issuing.close }} />
      )}
      {cancelling && <CancelDialog {...{ clientId, freeBet: cancelling, onClose: () => setCancelling(null) }} />}
    </Page>
  );
}

type Total = CallResponse<'PlayerGet'>['totals'][number];

/** The player's totals, one line per currency. */
function PlayerTotals({ clientId, playerId }: { clientId: number; playerId: string }) {
  const { data, error, refetch } = useQuery(callQuery('PlayerGet', { client_id: clientId, player_id: playerId }));
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.player_id !== playerId || data.totals.length === 0) return null;
  return (
    <Stack gap="xs" p="md" className="panel" component="section" aria-label="Totals">
      {data.totals.map((total) => (
        <TotalOf key={total.currency} total={total} />
      ))}
      {!data.is_whole && (
        <Text size="xs" c="dimmed">
          Of the player's latest 2,000 free bets. There are older ones.
        </Text>
      )}
    </Stack>
  );
}

function TotalOf({ total: { currency, issued, open, bets_left, bets, staked, won } }: { total: Total }) {
  const parts: [string, string][] = [
    ['Free bets', count(issued)],
    ['Open', open === 0 ? 'none' : `${count(open)} with ${count(bets_left)} ${bets_left === 1 ? 'bet' : 'bets'} left`],
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
