import type { JobBody, JobStatus } from '@freebets/contract';
import { Anchor, Button, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { JobProgress } from './progress.tsx';

const route = getRouteApi('/inside/p/$clientId/lists');

const statuses = ['running', 'scheduled', 'open', 'finished', 'stopped'] as const satisfies JobStatus[];

const columns = (clientId: number): Column<JobBody>[] => [
  {
    title: 'List',
    cell: (job) => (
      <>
        <Anchor component={Link} to={`/p/${clientId}/lists/${job.job_id}`} fw={600}>
          {job.name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {'campaign_id' in job ? job.campaign_id : 'with its own terms'}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Issued', cell: (job) => <JobProgress job={job} /> },
  { title: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Ended', isMinor: true, cell: ({ finished_at, stopped_at }) => <Time at={finished_at ?? stopped_at} /> },
];

export function Lists() {
  const clientId = Number(route.useParams().clientId);
  const status = oneOf(statuses, route.useSearch().status);
  const navigate = route.useNavigate();
  const may = useMay();
  const query = useInfiniteQuery({
    ...listing('JobList', { client_id: clientId, limit: 25, ...(status && { status }) }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ jobs }) => jobs.some((job) => job.status === 'running')) ? 2000 : false,
  });
  const newList = may('JobCreate') && (
    <Button component={Link} to={`/p/${clientId}/lists/new`}>
      New list
    </Button>
  );
  return (
    <Page title="Lists" about="Free bets for many players at a time." actions={newList}>
      <SegmentedControl
        aria-label="Status"
        data={[{ value: '', label: 'All' }, ...statuses.map((value) => ({ value, label: value }))]}
        value={status ?? ''}
        onChange={(value) => void navigate({ search: value === '' ? {} : { status: value }, replace: true })}
        style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
      />
      <ListTable
        label="Lists"
        query={query}
        rowsOf={(page) => page.jobs}
        keyOf={({ job_id }) => job_id}
        columns={columns(clientId)}
        empty={
          <Empty title={status ? `No list is ${status}` : 'No lists yet'}>
            {status ? 'Choose another status.' : 'A list gives a free bet of a campaign to each of its players.'}
          </Empty>
        }
      />
    </Page>
  );
}
