import type { JobBody, JobStatus } from '@freebets/contract';
import { Anchor, Box, Button, Group, Progress, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { oneOf } from '../../ui/address.ts';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name, Page } from '../../ui/page.tsx';
import { Status, StatusFilter, statusText } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const route = getRouteApi('/inside/p/$clientId/lists');

const statuses = ['running', 'scheduled', 'open', 'failed', 'finished', 'stopped'] as const satisfies JobStatus[];

export function Lists() {
  const clientId = Number(route.useParams().clientId);
  const status = oneOf(statuses, route.useSearch().status);
  const navigate = route.useNavigate();
  const may = useMay();
  const query = useInfiniteQuery(jobsQuery(clientId, status ? { status } : {}));
  const newList = may('JobCreate') && (
    <Button component={Link} to={`/p/${clientId}/lists/new`}>
      New bulk award
    </Button>
  );
  return (
    <Page title="Bulk awards" about="Free bets for many players at once." actions={newList}>
      <StatusFilter
        of="job"
        label="Status"
        words={statuses}
        value={status}
        onChange={(value) => void navigate({ search: value ? { status: value } : {}, replace: true })}
      />
      <ListTable
        label="Bulk awards"
        query={query}
        rowsOf={(page) => page.jobs}
        keyOf={({ job_id }) => job_id}
        columns={jobColumns(clientId, true)}
        empty={
          <Empty title={status ? `No bulk awards: ${statusText(status, 'job')}` : 'No bulk awards yet'}>
            {status ? 'Choose another status.' : 'A bulk award issues a free bet to every player of a list.'}
          </Empty>
        }
      />
    </Page>
  );
}

// The table of bulk awards, shared by several screens. It polls while one of them is running.

const runningMs = 2000;

interface JobFilter {
  status?: JobStatus;
  campaign_id?: string;
}

export const jobsQuery = (clientId: number, filter: JobFilter) =>
  infiniteQueryOptions({
    ...listQuery('JobList', { client_id: clientId, limit: 25, ...filter }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ jobs }) => jobs.some((job) => job.status === 'running')) ? runningMs : false,
  });

export const jobColumns = (clientId: number, withCampaign: boolean): Column<JobBody>[] => [
  {
    title: 'Bulk award',
    cell: (job) => (
      <Box miw={140}>
        <Anchor inherit component={Link} to={`/p/${clientId}/lists/${job.job_id}`} fw={600}>
          <Name isShort>{job.name}</Name>
        </Anchor>
        {withCampaign && (
          <Text size="xs" c="dimmed" lineClamp={1} className="name">
            {'campaign_id' in job ? job.campaign_id : 'own terms'}
          </Text>
        )}
      </Box>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} of="job" /> },
  {
    title: 'Issued',
    cell: (job) => (
      <Box miw={110}>
        <JobProgress job={job} />
      </Box>
    ),
  },
  { title: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Ended',
    isMinor: true,
    cell: ({ finished_at, stopped_at, failure }) => (
      <Time at={finished_at ?? stopped_at ?? failure?.failed_at ?? null} />
    ),
  },
];

export const refusedIn = ({ refused }: JobBody): number =>
  Object.values(refused).reduce((sum, each) => sum + (each ?? 0), 0);

/** A bar with the issued and refused shares. */
export function JobProgress({ job, isLarge = false }: { job: JobBody; isLarge?: boolean }) {
  const { items, issued } = job;
  const refused = refusedIn(job);
  const share = (part: number) => (items === 0 ? 0 : (part / items) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size={isLarge ? 'md' : 'sm'} span className="figure">
          {count(issued)} of {count(items)}
        </Text>
        {refused > 0 && (
          <Text size="xs" c="dimmed" span className="figure">
            {count(refused)} refused
          </Text>
        )}
      </Group>
      <Progress.Root size={isLarge ? 'lg' : 'sm'}>
        <Progress.Section value={share(issued)} aria-label="Issued" />
        <Progress.Section value={share(refused)} color="orange" aria-label="Refused" />
      </Progress.Root>
    </div>
  );
}
