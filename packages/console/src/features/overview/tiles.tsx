import { Paper, SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../api/session.ts';
import { count, MoneyList } from '../../ui/money.tsx';
import type { Standing } from './overview.tsx';

/** What stands open, each with the way to it. Of several partners the way leads to the first that is concerned. */
export function Tiles({ clientId, standing }: { clientId: number | undefined; standing: Standing }) {
  const may = useMay();
  const { live_campaigns, campaigns, exposure, webhooks, jobs, approvals } = standing;
  const screen = (of: number | undefined, path: string) => (of === undefined ? undefined : `/p/${of}/${path}`);
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
      <Tile title="Live campaigns" to={screen(clientId ?? campaigns[0]?.client_id, 'campaigns?status=active')}>
        {count(live_campaigns)}
      </Tile>
      <Tile title="Exposure open" isSmall to={screen(clientId, 'campaigns')}>
        {exposure.length === 0 ? 'none' : <MoneyList amounts={exposure} />}
      </Tile>
      <Tile
        title="Webhooks failing"
        isAlarming={webhooks.failing > 0}
        to={screen(clientId ?? webhooks.shown[0]?.client_id, 'events')}
        note={webhooks.off > 0 ? `and ${count(webhooks.off)} off` : namesOf(webhooks.shown)}
      >
        {count(webhooks.failing)}
      </Tile>
      <Tile
        title="Lists running"
        to={screen(clientId ?? jobs.shown[0]?.client_id, 'lists')}
        note={jobs.shown.map(({ name }) => name).join(', ')}
      >
        {count(jobs.running)}
      </Tile>
      {may('DraftApprove') && (
        <Tile
          title="Approvals waiting for me"
          to="/approvals"
          note={approvals.waiting > approvals.for_me ? `of ${count(approvals.waiting)} that wait` : undefined}
        >
          {count(approvals.for_me)}
        </Tile>
      )}
    </SimpleGrid>
  );
}

const namesOf = (shown: Standing['webhooks']['shown']): string => shown.map(({ partner }) => partner).join(', ');

interface TileProps {
  title: string;
  to?: string | undefined;
  note?: string | undefined;
  isAlarming?: boolean;
  /** For lists of amounts. */
  isSmall?: boolean;
  children: ReactNode;
}

function Tile({ title, to, note, isAlarming, isSmall, children }: TileProps) {
  const inside = (
    <>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text
        fz={isSmall ? 'md' : 24}
        fw={600}
        lh={1.4}
        c={isAlarming ? 'var(--mantine-color-red-light-color)' : undefined}
        component="div"
      >
        {children}
      </Text>
      {note && (
        <Text size="xs" c="dimmed" truncate>
          {note}
        </Text>
      )}
    </>
  );
  return to === undefined ? (
    <Paper p="md" className="panel">
      {inside}
    </Paper>
  ) : (
    <Paper p="md" className="panel panel-link" component={Link} to={to}>
      {inside}
    </Paper>
  );
}
