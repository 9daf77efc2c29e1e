import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { count, MoneyList } from '../../ui/money.tsx';
import type { Standing } from './standing.ts';

/** What stands open, each with the way to it. */
export function Tiles({ clientId, standing }: { clientId: number | undefined; standing: Standing }) {
  const { live, exposure, failing, jobs, isPartial, partners, isPending } = standing;
  const first = clientId ?? live[0]?.client_id ?? partners[0]?.client_id;
  const screen = (of: number | undefined, path: string) => (of === undefined ? undefined : `/p/${of}/${path}`);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
      <Tile title="Live campaigns" isPending={isPending} to={screen(first, 'campaigns?status=active')}>
        {count(live.length)}
      </Tile>
      <Tile
        title="Exposure open"
        isPending={isPending}
        note={isPartial ? 'of those listed here' : undefined}
        to={screen(first, 'campaigns')}
        isSmall
      >
        {exposure.length === 0 ? 'none' : <MoneyList amounts={exposure} />}
      </Tile>
      <Tile
        title="Webhooks failing"
        isPending={isPending}
        isAlarming={failing.length > 0}
        to={screen(failing[0]?.client_id ?? first, 'events')}
        note={failing.map(({ name }) => name).join(', ')}
      >
        {count(failing.length)}
      </Tile>
      <Tile
        title="Lists running"
        isPending={isPending}
        to={screen(jobs[0]?.client_id ?? first, 'lists')}
        note={jobNote(jobs)}
      >
        {count(jobs.length)}
      </Tile>
      <Approvals clientId={clientId} />
    </SimpleGrid>
  );
}

const jobNote = ([job]: Standing['jobs']): string | undefined =>
  job && `${count(job.items - job.remaining)} of ${count(job.items)} done`;

function Approvals({ clientId }: { clientId: number | undefined }) {
  const may = useMay();
  const { data, isPending } = useQuery({
    ...asking('DraftList', { waiting_for_me: true, limit: 50, ...(clientId !== undefined && { client_id: clientId }) }),
    enabled: may('DraftApprove'),
  });
  if (!may('DraftApprove')) return null;
  const drafts = data?.drafts ?? [];
  return (
    <Tile title="Approvals waiting for me" isPending={isPending} to="/approvals" note={drafts[0]?.title ?? undefined}>
      {count(drafts.length)}
      {data?.next_cursor && ' and more'}
    </Tile>
  );
}

interface TileProps {
  title: string;
  isPending: boolean;
  to?: string;
  note?: string;
  isAlarming?: boolean;
  /** For lists of amounts. */
  isSmall?: boolean;
  children: ReactNode;
}

function Tile({ title, isPending, to, note, isAlarming, isSmall, children }: TileProps) {
  const inside = (
    <>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      {isPending ? (
        <Skeleton height={24} width="50%" mt={6} />
      ) : (
        <Text
          fz={isSmall ? 'md' : 24}
          fw={600}
          lh={1.4}
          c={isAlarming ? 'var(--mantine-color-red-light-color)' : undefined}
          component="div"
        >
          {children}
        </Text>
      )}
      {note && (
        <Text size="xs" c="dimmed" truncate>
          {note}
        </Text>
      )}
    </>
  );
  if (to === undefined)
    return (
      <Paper p="md" className="panel">
        {inside}
      </Paper>
    );
  return (
    <Paper p="md" className="panel panel-link" component={Link} to={to}>
      {inside}
    </Paper>
  );
}
