import type { AuditRecord, CampaignGetResponse, DraftBody } from '@freebets/contract';
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { actionText, actorText } from '../audit/words.tsx';
import { kindNames } from '../drafts/kinds.ts';

interface HistoryProps {
  clientId: number;
  campaign: CampaignGetResponse;
}

/** Who drafted and decided what about it; and, for those who may see the record, whatever staff did. */
export function History(props: HistoryProps) {
  const may = useMay();
  return (
    <Stack gap="lg">
      <Drafts {...props} />
      {may('AuditList') && <Records {...props} />}
    </Stack>
  );
}

const draftColumns: Column<DraftBody>[] = [
  {
    title: 'What',
    cell: ({ client_id, draft_id, kind }) => (
      <Anchor inherit component={Link} to={`/p/${client_id}/drafts/${draft_id}`}>
        {kindNames[kind]}
      </Anchor>
    ),
  },
  { title: 'State', cell: ({ state }) => <Status is={state} /> },
  { title: 'By', cell: ({ author }) => author.name },
  { title: 'Why', isMinor: true, cell: ({ submit_reason }) => <Why>{submit_reason}</Why> },
  { title: 'Decided by', isMinor: true, cell: ({ decided_by }) => decided_by?.name ?? '–' },
  { title: 'Decision', isMinor: true, cell: ({ decision_reason }) => <Why>{decision_reason}</Why> },
  { title: 'When', cell: ({ decided_at, changed_at }) => <Time at={decided_at ?? changed_at} /> },
];

const Why = ({ children }: { children: string | null }) => (
  <Text size="sm" span className="name">
    {children ?? '–'}
  </Text>
);

function Drafts({ clientId, campaign: { campaign_id } }: HistoryProps) {
  const query = useInfiniteQuery(listing('DraftList', { client_id: clientId, target_id: campaign_id, limit: 25 }));
  return (
    <ListTable
      label="Drafts"
      query={query}
      rowsOf={(page) => page.drafts}
      keyOf={({ draft_id }) => draft_id}
      columns={draftColumns}
      empty={
        <Empty title="It did not begin as a draft here">
          The partner made it over the API: what happened to it is in the events.
        </Empty>
      }
    />
  );
}

const recordColumns: Column<AuditRecord>[] = [
  { title: 'What', cell: ({ action }) => actionText(action) },
  { title: 'Who', cell: actorText },
  { title: 'Why', cell: ({ reason }) => <Why>{reason}</Why> },
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
];

function Records({ clientId, campaign: { campaign_id } }: HistoryProps) {
  const target = { kind: 'campaign', id: campaign_id };
  const query = useInfiniteQuery(listing('AuditList', { client_id: clientId, target, limit: 50 }));
  return (
    <Stack gap="xs">
      <Title order={2}>In the record</Title>
      <ListTable
        label="History"
        query={query}
        rowsOf={(page) => page.records}
        keyOf={({ sequence }) => String(sequence)}
        columns={recordColumns}
        empty={
          <Empty title="Nobody of the staff has changed it">What partners do over the API is in the events.</Empty>
        }
      />
    </Stack>
  );
}
