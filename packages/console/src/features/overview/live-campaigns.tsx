import type { CampaignGetResponse } from '@freebets/contract';
import { Anchor, Button, Group, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';
import { Budget } from '../../ui/budget.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Standing } from './overview.tsx';

const most = 20;

/** Of one partner there are pictures, bets and wins as well: of all of them that would be the games of each. */
function useWhole(clientId: number | undefined): Map<string, CampaignGetResponse> {
  const { data } = useQuery({
    ...asking('CampaignSearch', { client_id: clientId ?? 0, status: 'active', sort: 'ends_soonest', limit: most }),
    enabled: clientId !== undefined,
  });
  return new Map(data?.campaigns.map((each) => [each.campaign_id, each]));
}

/** The most used first. */
export function LiveCampaigns({ clientId, standing }: { clientId: number | undefined; standing: Standing }) {
  const { campaigns, live_campaigns } = standing;
  const whole = useWhole(clientId);
  if (campaigns.length === 0) {
    return <Empty title="No campaign is live">Those that are scheduled or over stand under Campaigns.</Empty>;
  }
  const isOfOne = clientId !== undefined;
  return (
    <section aria-label="Live campaigns">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Live campaigns</Title>
        {isOfOne && (
          <Button component={Link} to={`/p/${clientId}/campaigns`} variant="subtle" size="compact-sm">
            All campaigns
          </Button>
        )}
      </Group>
      <Table.ScrollContainer minWidth={320} type="native" className="panel">
        <Table
          aria-label="Live campaigns"
          highlightOnHover
          highlightOnHoverColor="var(--console-hover)"
          verticalSpacing="xs"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Campaign</Table.Th>
              <Table.Th>Given</Table.Th>
              {isOfOne && (
                <>
                  <Table.Th ta="right" visibleFrom="sm">
                    Bets
                  </Table.Th>
                  <Table.Th ta="right" visibleFrom="sm">
                    Won
                  </Table.Th>
                </>
              )}
              <Table.Th visibleFrom="sm">Ends</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {campaigns.map((campaign) => (
              <Row
                key={`${campaign.client_id} ${campaign.campaign_id}`}
                campaign={campaign}
                isOfOne={isOfOne}
                whole={whole.get(campaign.campaign_id)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {live_campaigns > campaigns.length && (
        <Text size="sm" c="dimmed" mt="xs">
          {count(campaigns.length)} of {count(live_campaigns)}, those with the least left.{' '}
          {!isOfOne && 'Choose a partner above, and see all of its campaigns.'}
        </Text>
      )}
    </section>
  );
}

interface RowProps {
  campaign: Standing['campaigns'][number];
  isOfOne: boolean;
  whole: CampaignGetResponse | undefined;
}

function Row({ campaign, isOfOne, whole }: RowProps) {
  const { client_id, partner, campaign_id, name, status, held, bonus_limit, valid_until } = campaign;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          {isOfOne && whole && <GamePictures ids={whole.games} most={2} />}
          <div>
            <Anchor component={Link} to={`/p/${client_id}/campaigns/${encodeURIComponent(campaign_id)}`} fw={600}>
              {name}
            </Anchor>{' '}
            {status !== 'active' && <Status is={status} />}
            {!isOfOne && (
              <Text size="xs" c="dimmed">
                {partner}
              </Text>
            )}
          </div>
        </Group>
      </Table.Td>
      <Table.Td miw={140}>
        <Budget given={held} limit={bonus_limit} />
      </Table.Td>
      {isOfOne && (
        <>
          <Table.Td ta="right" className="figure" visibleFrom="sm">
            {whole ? count(whole.counts.bets_placed) : '–'}
          </Table.Td>
          <Table.Td ta="right" visibleFrom="sm">
            <MoneyList amounts={whole?.winnings ?? []} />
          </Table.Td>
        </>
      )}
      <Table.Td visibleFrom="sm">
        <Time at={valid_until} />
      </Table.Td>
    </Table.Tr>
  );
}
