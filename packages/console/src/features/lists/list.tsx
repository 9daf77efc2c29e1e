import type { JobBody, JobRefusal } from '@freebets/contract';
import { Alert, Anchor, Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useChange } from '../../api/change.ts';
import { callQuery, listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { saveExactCsv } from '../../ui/download.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { errorText } from '../../ui/error-words.ts';
import { count, Figure } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Name, Page } from '../../ui/page.tsx';
import { Status, statusText } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useCampaignNames } from '../campaigns/picker.tsx';
import { freeBetsText, OwnTermsPanel } from './list-terms.tsx';
import { JobProgress, refusedIn } from './lists.tsx';
import { allRefusals } from './send-list.ts';
import { startOf } from './start-time.ts';

const route = getRouteApi('/inside/p/$clientId/lists/$jobId');

const isEnded = ({ status }: JobBody): boolean => status === 'finished' || status === 'stopped';
/** A failed bulk award changes only by a retry or a stop. */
const isIdle = (job: JobBody): boolean => isEnded(job) || job.status === 'failed';

export function List() {
  const { clientId: clientText, jobId } = route.useParams();
  const clientId = Number(clientText);
  const may = useMay();
  const [isStopping, stopping] = useDisclosure(false);
  const [isRetrying, retrying] = useDisclosure(false);
  const query = useQuery({
    ...callQuery('JobGet', { client_id: clientId, job_id: jobId }),
    refetchInterval: ({ state }) => (state.data && !isIdle(state.data) ? 1000 : false),
  });
  const { data: job, error } = query;
  return (
    <Page
      title={job?.name ?? 'Bulk award'}
      mark={job && <Status is={job.status} of="job" />}
      about={job && <Source clientId={clientId} job={job} />}
      actions={
        job &&
        !isEnded(job) &&
        may('JobStop') && (
          <>
            <Button variant="default" onClick={stopping.open}>
              Stop bulk award…
            </Button>
            {job.status === 'failed' && <Button onClick={retrying.open}>Retry bulk award…</Button>}
          </>
        )
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void query.refetch()} />}
      {!job && !error && <Skeleton height={160} />}
      {job?.status === 'failed' && job.failure && <Failed failure={job.failure} />}
      {job?.status === 'open' && <NotStarted clientId={clientId} job={job} />}
      {job?.status === 'running' && 'campaign_id' in job && (
        <CampaignPaused clientId={clientId} campaignId={job.campaign_id} />
      )}
      {job && <Progress job={job} />}
      {job && !('campaign_id' in job) && <OwnTermsPanel job={job} />}
      {job && refusedIn(job) > 0 && <Refusals clientId={clientId} job={job} />}
      {job && isRetrying && <RetryDialog clientId={clientId} job={job} onClose={retrying.close} />}
      {job && isStopping && <StopDialog clientId={clientId} job={job} onClose={stopping.close} />}
    </Page>
  );
}

function Source({ clientId, job }: { clientId: number; job: JobBody }) {
  const nameOf = useCampaignNames(clientId, ['campaign_id' in job ? job.campaign_id : null]);
  if (!('campaign_id' in job)) return 'Bulk award with its own terms';
  return (
    <>
      Bulk award of the campaign{' '}
      <Anchor
        component={Link}
        size="sm"
        underline="always"
        to={`/p/${clientId}/campaigns/${idInPath(job.campaign_id)}`}
      >
        <Name>{nameOf(job.campaign_id)}</Name>
      </Anchor>
    </>
  );
}

/** A complete upload with its own terms waits for its draft; other open bulk awards are incomplete uploads. */
function NotStarted({ clientId, job }: { clientId: number; job: JobBody }) {
  const isDirect = !('campaign_id' in job);
  const may = useMay();
  const asked = { client_id: clientId, kind: 'job' as const, target_id: job.job_id, limit: 1 };
  const { data, isPending, error, refetch } = useQuery({ ...callQuery('DraftList', asked), enabled: isDirect });
  const draft = data?.drafts[0];
  if (isDirect && isPending) return null;
  // Without the draft it is unknown which of the two it is.
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (draft) {
    return (
      <Alert title={`Its draft: ${statusText(draft.state, 'draft')}`}>
        <Anchor size="sm" underline="always" component={Link} to={`/p/${clientId}/drafts/${draft.draft_id}`}>
          Go to draft
        </Anchor>
      </Alert>
    );
  }
  return (
    <Alert color="yellow" title="The upload is incomplete, and nothing is issued yet">
      <Text size="sm">
        {freeBetsText(job.items)} uploaded so far. An incomplete bulk award is deleted after 7 days.
      </Text>
      {may('JobAdd') && (
        <Anchor
          size="sm"
          c="inherit"
          underline="always"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/p/$clientId/lists/new"
              params={{ clientId: String(clientId) }}
              search={isDirect ? { terms: 'own', job: job.job_id } : { campaign: job.campaign_id, job: job.job_id }}
            />
          )}
        >
          Continue with the same file
        </Anchor>
      )}
    </Alert>
  );
}

/** Positions start at 1, as in the uploaded file. */
const Failed = ({ failure: { reason, part, item, failed_at } }: { failure: NonNullable<JobBody['failure']> }) => (
  <Alert color="red" title="This bulk award failed">
    <Text size="sm">{reason}</Text>
    <Text size="sm">
      {part !== null && `Item ${count(item + 1)} of part ${count(part)} · `}
      <Time at={failed_at} />
    </Text>
    <Text size="sm" mt="xs">
      A retry continues with this item. Without a retry, the bulk award is stopped 30 days after it failed.
    </Text>
  </Alert>
);

/** Explains why a running bulk award makes no progress. */
function CampaignPaused({ clientId, campaignId }: { clientId: number; campaignId: string }) {
  const { data: campaign } = useQuery(callQuery('CampaignGet', { client_id: clientId, campaign_id: campaignId }));
  if (campaign?.campaign_id !== campaignId || campaign.status !== 'paused') return null;
  return (
    <Alert color="yellow" title="The campaign is paused">
      The rest of this bulk award waits until you resume the campaign.
    </Alert>
  );
}

/** A duration, not a time of day: a sandbox's clock can be ahead of the viewer's. */
const timeLeft = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s left` : `${Math.round(seconds / 60)} min left`;

function paceOf({ status, per_second, remaining }: JobBody): string {
  if (status === 'running')
    return per_second ? `${count(per_second)} per second · ${timeLeft(remaining / per_second)}` : '';
  if (status === 'stopped' && remaining > 0) return `${count(remaining)} not issued`;
  return '';
}

const Progress = ({ job }: { job: JobBody }) => (
  <Stack gap="md" p="md" className="panel">
    <JobProgress job={job} isLarge />
    <Text size="sm" c="dimmed" className="figure" aria-live="polite">
      {paceOf(job)}
    </Text>
    <SimpleGrid cols={{ base: 2, sm: 5 }}>
      <Figure name="Free bets">{count(job.items)}</Figure>
      <Figure name="Issued">{count(job.issued)}</Figure>
      <Figure name="Refused">{count(refusedIn(job))}</Figure>
      <Figure name="Remaining">{count(job.remaining)}</Figure>
      <StartTime job={job} />
    </SimpleGrid>
  </Stack>
);

function StartTime({ job }: { job: JobBody }) {
  const { name, at, side } = startOf(job);
  return (
    <Figure name={name}>
      <Time at={at} is={side} />
    </Figure>
  );
}

const refusalColumns = (clientId: number): Column<JobRefusal>[] => [
  {
    title: 'Player',
    cell: ({ player_id }) => (
      <Anchor component={Link} size="sm" to={`/p/${clientId}/players/${idInPath(player_id)}`}>
        {player_id}
      </Anchor>
    ),
  },
  { title: 'Reason', cell: ({ error }) => error.message },
];

/** The file can be uploaded as a new bulk award. A campaign sets stake and quantity itself. */
function refusedRows(refusals: JobRefusal[], isOwn: boolean): string[][] {
  const rows = refusals.map(({ player_id, currency = '', issue_id, bet_amount = '', quantity = '', ...why }) => [
    player_id,
    currency,
    issue_id,
    ...(isOwn ? [bet_amount, String(quantity)] : []),
    why.error.error,
    why.error.message,
    String(why.part),
    String(why.item + 1),
  ]);
  const own = isOwn ? ['bet_amount', 'quantity'] : [];
  return [['player_id', 'currency', 'issue_id', ...own, 'error', 'why', 'part', 'place'], ...rows];
}

function Refusals({ clientId, job }: { clientId: number; job: JobBody }) {
  const { job_id } = job;
  const query = useInfiniteQuery(listQuery('JobRefusals', { client_id: clientId, job_id, limit: 25 }));
  const save = useMutation({
    mutationFn: async () => {
      const rows = refusedRows(await allRefusals(clientId, job_id), !('campaign_id' in job));
      saveExactCsv(`refused-${job_id}.csv`, rows);
    },
  });
  const byError = Object.entries(job.refused).map(
    ([error, each]) => `${count(each ?? 0)} × ${errorText(error).replace(/\.$/, '')}`,
  );
  return (
    <Stack gap="xs" component="section" aria-label="Refused">
      <Group justify="space-between">
        <div>
          <Title order={2}>Refused</Title>
          <Text size="sm" c="dimmed">
            {byError.join(' · ')}
          </Text>
        </div>
        <Button variant="default" size="xs" loading={save.isPending} onClick={() => save.mutate()}>
          Export CSV
        </Button>
      </Group>
      {save.error && <ErrorNote error={save.error} />}
      <ListTable
        label="Refused"
        query={query}
        rowsOf={(page) => page.refusals}
        keyOf={({ part, item }) => `${part} ${item}`}
        columns={refusalColumns(clientId)}
        empty={null}
      />
    </Stack>
  );
}

function RetryDialog({ clientId, job, onClose }: { clientId: number; job: JobBody; onClose(): void }) {
  const change = useChange('job');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Retry bulk award"
      action="Retry bulk award"
      onConfirm={(reason) => change('JobRetry', { client_id: clientId, job_id: job.job_id, reason })}
    >
      <Text size="sm">
        {freeBetsText(job.remaining)} {job.remaining === 1 ? 'is' : 'are'} still to be issued. The{' '}
        {freeBetsText(job.issued)} already issued will not be issued again.
      </Text>
    </ChangeDialog>
  );
}

function StopDialog({ clientId, job, onClose }: { clientId: number; job: JobBody; onClose(): void }) {
  const change = useChange('job');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Stop bulk award"
      action="Stop bulk award"
      isDangerous
      onConfirm={(reason) => change('JobStop', { client_id: clientId, job_id: job.job_id, reason })}
    >
      <Text size="sm">
        {freeBetsText(job.remaining)} will not be issued. The {freeBetsText(job.issued)} already issued stay valid.
      </Text>
    </ChangeDialog>
  );
}
