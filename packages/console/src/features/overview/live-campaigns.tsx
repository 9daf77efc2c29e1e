import { Anchor, Group, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Budget } from '../../ui/budget.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { Time } from '../../ui/time.tsx';
import type { Standing } from './standing.ts';

const most = 12;

/** Those that end first stand first. */
export function LiveCampaigns({ standing: { live, partners, isPartial } }: { standing: Standing }) {
  const shown = live.toSorted((a, b) => a.valid_until.localeCompare(b.valid_until)).slice(0, most);
  const nameOf = (clientId: number) => partners.find(({ client_id }) => client_id === clientId)?.name;
  if (shown.length === 0) {
    return <Empty title="No campaign is live">Those that are scheduled, paused or over stand under Campaigns.</Empty>;
  }
  return (
    <section aria-label="Live campaigns">
      <Title order={2} mb="xs">
        Live campaigns
      </Title>
      <Table.ScrollContainer minWidth={360} type="native" className="panel">
        <Table aria-label="Live campaigns" highlightOnHover verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Campaign</Table.Th>
              <Table.Th>Given</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Bets
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Won
              </Table.Th>
              <Table.Th visibleFrom="sm">Ends</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((campaign) => (
              <Row
                key={`${campaign.client_id} ${campaign.campaign_id}`}
                campaign={campaign}
                partner={nameOf(campaign.client_id)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {(isPartial || live.length > shown.length) && (
        <Text size="sm" c="dimmed" mt="xs">
          There are more than are shown here. Choose a partner above, and see all of its campaigns.
        </Text>
      )}
    </section>
  );
}

function Row({ campaign, partner }: { campaign: Standing['live'][number]; partner: string | undefined }) {
  const { client_id, campaign_id, name, games, counts, config, winnings, valid_until } = campaign;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <GamePictures ids={games} most={2} />
          <div>
            <Anchor component={Link} to={`/p/${client_id}/campaigns/${encodeURIComponent(campaign_id)}`} fw={600}>
              {name}
            </Anchor>
            <Text size="xs" c="dimmed">
              {partner}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <Budget given={counts.issued - counts.cancelled} limit={config.bonus_limit} />
      </Table.Td>
      <Table.Td ta="right" className="figure" visibleFrom="sm">
        {count(counts.bets_placed)}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        <MoneyList amounts={winnings} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Time at={valid_until} />
      </Table.Td>
    </Table.Tr>
  );
}
