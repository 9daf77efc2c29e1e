import { Anchor, Button, Group, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { idInPath } from '../../ui/address-id.ts';
import { Budget } from '../../ui/budget.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { ExactTimes, Time } from '../../ui/time.tsx';
import { partnerText, parts, type Standing } from './parts.ts';

/** The most used first. */
export function LiveCampaigns({ clientId, standing }: { clientId: number | undefined; standing: Standing }) {
  const { campaigns, live_campaigns } = standing;
  if (campaigns.length === 0) {
    return <Empty title="No campaign is live">Those that are scheduled or over stand under Campaigns.</Empty>;
  }
  const isOfOne = clientId !== undefined;
  return (
    <section aria-label="Live campaigns" id={parts.live}>
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
            {campaigns.map((campaign) => (
              <Row key={`${campaign.client_id} ${campaign.campaign_id}`} campaign={campaign} isOfOne={isOfOne} />
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
}

function Row({ campaign, isOfOne }: RowProps) {
  const { client_id, sandbox, campaign_id, name, status, held, bonus_limit, valid_until, games, bets, winnings } =
    campaign;
  // Its clock may be another than those of the other rows.
  const ends = <Time at={valid_until} is="ahead" />;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <GamePictures ids={games} most={2} />
          <div>
            <Anchor
              component={Link}
              to={`/p/${client_id}/campaigns/${idInPath(campaign_id)}`}
              fw={600}
              className="name"
            >
              {name}
            </Anchor>{' '}
            {status !== 'active' && <Status is={status} />}
            {!isOfOne && (
              <Text size="xs" c="dimmed">
                {partnerText(campaign)}
              </Text>
            )}
          </div>
        </Group>
      </Table.Td>
      <Table.Td miw={140}>
        <Budget given={held} limit={bonus_limit} />
      </Table.Td>
      <Table.Td ta="right" className="figure" visibleFrom="sm">
        {count(bets)}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        <MoneyList amounts={winnings} most={2} />
      </Table.Td>
      <Table.Td visibleFrom="sm">{sandbox && !isOfOne ? <ExactTimes value>{ends}</ExactTimes> : ends}</Table.Td>
    </Table.Tr>
  );
}
