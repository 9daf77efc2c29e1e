import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { count, MoneyList } from '../../ui/figures.tsx';
import type { PartnerScope } from '../../ui/partner-select.tsx';
import { useRequestsForMe } from '../confirmations/waiting.ts';
import { type OverviewData, parts } from './overview-data.ts';

/** Each tile links to its details: a screen of the one partner, or else the section below. */
export function Tiles({ scope, overview }: { scope: PartnerScope; overview: OverviewData }) {
  const may = useMay();
  const { clientId } = scope;
  const { live_campaigns, exposure, webhooks, jobs, approvals } = overview;
  const linkTo = (path: string, part: string, counted: number) => {
    if (clientId !== undefined) return { to: `/p/${clientId}/${path}` };
    return counted === 0 ? {} : { to: '.', hash: part };
  };
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} className="tiles">
      <Tile title="Live campaigns" {...linkTo('campaigns?status=live', parts.live, live_campaigns)}>
        {count(live_campaigns)}
      </Tile>
      <Tile title="Campaign exposure" isOfAmounts note="open free bets of campaigns, including ended ones">
        {exposure.length === 0 ? 'none' : <MoneyList amounts={exposure} />}
      </Tile>
      <Tile
        title="Failing webhooks"
        isAlarming={webhooks.failing > 0}
        {...linkTo('events?view=deliveries', parts.webhooks, webhooks.shown.length)}
        note={webhooks.off > 0 ? `and ${count(webhooks.off)} turned off` : namesOf(webhooks.shown)}
      >
        {count(webhooks.failing)}
      </Tile>
      <Tile
        title="Running bulk awards"
        {...linkTo('lists?status=running', parts.lists, jobs.running)}
        note={jobs.shown.map(({ name }) => name).join(', ')}
      >
        {count(jobs.running)}
      </Tile>
      {may('DraftApprove') && <Approvals approvals={approvals} />}
    </SimpleGrid>
  );
}

/**
 * The Approvals screen and its number in the menu cover all partners and sandboxes, so the note shows the difference.
 */
function Approvals({ approvals }: Pick<OverviewData, 'approvals'>) {
  const { data: all } = useQuery(callQuery('DraftsWaiting', {}));
  const requests = useRequestsForMe();
  const others = (all?.for_me ?? 0) - approvals.for_me;
  const notes = [
    approvals.waiting > approvals.for_me && `of ${count(approvals.waiting + requests)} waiting`,
    others > 0 && `${count(others)} for other partners`,
  ].filter((note) => note !== false);
  return (
    <Tile title="Waiting for my approval" to="/approvals" note={notes.join('; ')}>
      {count(approvals.for_me + requests)}
    </Tile>
  );
}

const namesOf = (shown: OverviewData['webhooks']['shown']): string => shown.map(({ partner }) => partner).join(', ');

interface TileProps {
  title: string;
  to?: string;
  hash?: string;
  note?: string | undefined;
  isAlarming?: boolean;
  /** A wide tile with smaller text. */
  isOfAmounts?: boolean;
  children: ReactNode;
}

function Tile({ title, to, hash, note, isAlarming, isOfAmounts, children }: TileProps) {
  const inside = (
    <>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text
        fz={isOfAmounts ? 'md' : 24}
        fw={600}
        lh={1.4}
        c={isAlarming ? 'var(--mantine-color-error)' : undefined}
        component="div"
      >
        {children}
      </Text>
      {note && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {note}
        </Text>
      )}
    </>
  );
  return to === undefined ? (
    <Paper p="md" className={isOfAmounts ? 'panel tile-of-amounts' : 'panel'}>
      {inside}
    </Paper>
  ) : (
    <Paper p="md" className="panel panel-link" component={Link} to={to} {...(hash && { hash, search: true })}>
      {inside}
    </Paper>
  );
}
