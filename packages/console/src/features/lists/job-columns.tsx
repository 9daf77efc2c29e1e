import type { JobBody, JobStatus } from '@freebets/contract';
import { Anchor, Box, Text } from '@mantine/core';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import type { Column } from '../../ui/list-table.tsx';
import { Name } from '../../ui/name.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { JobProgress } from './progress.tsx';

// Lists as tables show them, wherever they stand. While one runs, its bar moves.

const runningMs = 2000;

interface JobFilter {
  status?: JobStatus;
  campaign_id?: string;
}

export const jobsQuery = (clientId: number, filter: JobFilter) =>
  infiniteQueryOptions({
    ...listing('JobList', { client_id: clientId, limit: 25, ...filter }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ jobs }) => jobs.some((job) => job.status === 'running')) ? runningMs : false,
  });

export const jobColumns = (clientId: number, withCampaign: boolean): Column<JobBody>[] => [
  {
    title: 'List',
    cell: (job) => (
      <Box miw={140}>
        <Anchor inherit component={Link} to={`/p/${clientId}/lists/${job.job_id}`} fw={600}>
          <Name isShort>{job.name}</Name>
        </Anchor>
        {withCampaign && (
          <Text size="xs" c="dimmed" lineClamp={1} className="name">
            {'campaign_id' in job ? job.campaign_id : 'with its own terms'}
          </Text>
        )}
      </Box>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
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
