import { Anchor, Button, Group, Progress, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { idInPath } from '../../ui/address.ts';
import { Budget, count, MoneyList } from '../../ui/figures.tsx';
import { GamePictures } from '../../ui/games.tsx';
import { Details, Empty } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { ExactTimes, Time } from '../../ui/time.tsx';
import { type OverviewData, partnerText, parts } from './overview-data.ts';

/** The campaigns with the least left come first. */
export function LiveCampaigns({ clientId, overview }: { clientId: number | undefined; overview: OverviewData }) {
  const { campaigns, live_campaigns } = overview;
  if (campaigns.length === 0) {
    return <Empty title="No live campaigns">Scheduled and ended campaigns are under Campaigns.</Empty>;
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
              <Table.Th>Cap used</Table.Th>
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
          The {count(campaigns.length)} of {count(live_campaigns)} with the least left.{' '}
          {!isOfOne && 'Choose a partner above to see all its campaigns.'}
        </Text>
      )}
    </section>
  );
}

interface RowProps {
  campaign: OverviewData['campaigns'][number];
  isOfOne: boolean;
}

function Row({ campaign, isOfOne }: RowProps) {
  const { client_id, sandbox, campaign_id, name, status, held, bonus_limit, valid_until, games, bets, winnings } =
    campaign;
  // Each sandbox has its own clock.
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

/** Partners whose events do not arrive. Hidden if there are none. */
export function FailingWebhooks({ overview: { webhooks } }: { overview: OverviewData }) {
  const rest = webhooks.failing + webhooks.off - webhooks.shown.length;
  if (webhooks.shown.length === 0) return null;
  return (
    <Details title="Webhooks that need attention" id={parts.webhooks}>
      {webhooks.shown.map(({ client_id, partner, sandbox, state, since, reason }) => (
        <Group key={client_id} gap="sm">
          <Anchor component={Link} to={`/p/${client_id}/events?view=deliveries`} size="sm" fw={600}>
            {partnerText({ partner, sandbox })}
          </Anchor>
          <Status is={state} />
          <Text size="sm" c="dimmed" component="div">
            since <Time at={since} />
            {reason && ` · ${reason}`}
          </Text>
        </Group>
      ))}
      <Rest of={rest} />
    </Details>
  );
}

/** Hidden if none are running. */
export function RunningBulkAwards({ overview: { jobs } }: { overview: OverviewData }) {
  if (jobs.shown.length === 0) return null;
  return (
    <Details title="Running bulk awards" id={parts.lists}>
      {jobs.shown.map(({ client_id, partner, sandbox, job_id, name, items, issued, refused, per_second }) => (
        <div key={job_id}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" component="div">
              <Anchor component={Link} to={`/p/${client_id}/lists/${job_id}`} size="sm" fw={600}>
                {name}
              </Anchor>{' '}
              · {partnerText({ partner, sandbox })}
            </Text>
            <Text size="sm" c="dimmed" className="figure">
              {count(issued + refused)} of {count(items)}
              {per_second !== null && ` · ${count(per_second)} per second`}
            </Text>
          </Group>
          <Progress
            value={items === 0 ? 0 : ((issued + refused) / items) * 100}
            size="sm"
            aria-label={`Progress of ${name}`}
          />
        </div>
      ))}
      <Rest of={jobs.running - jobs.shown.length} />
    </Details>
  );
}

const Rest = ({ of }: { of: number }) =>
  of > 0 && (
    <Text size="sm" c="dimmed">
      and {count(of)} more
    </Text>
  );
