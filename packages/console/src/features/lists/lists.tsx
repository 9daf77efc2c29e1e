import type { JobStatus } from '@freebets/contract';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search.ts';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { jobColumns, jobsQuery } from './job-columns.tsx';

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
      New list
    </Button>
  );
  return (
    <Page title="Lists" about="Free bets for many players at a time." actions={newList}>
      <StatusFilter
        label="Status"
        words={statuses}
        value={status}
        onChange={(value) => void navigate({ search: value ? { status: value } : {}, replace: true })}
      />
      <ListTable
        label="Lists"
        query={query}
        rowsOf={(page) => page.jobs}
        keyOf={({ job_id }) => job_id}
        columns={jobColumns(clientId, true)}
        empty={
          <Empty title={status ? `No list is ${status}` : 'No lists yet'}>
            {status ? 'Choose another status.' : 'A list gives a free bet of a campaign to each of its players.'}
          </Empty>
        }
      />
    </Page>
  );
}
