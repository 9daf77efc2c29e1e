import type { AuditRecord } from '@freebets/contract';
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { AnchorLink } from '../../ui/anchor-link.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { ChainCheck } from './chain-check.tsx';
import { type AuditSearch, filterOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { actionText, actorText, TargetLink } from './words.tsx';

const route = getRouteApi('/inside/audit');

const columns: Column<AuditRecord>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'What',
    cell: ({ client_id, sequence, at, action }) => (
      <AnchorLink
        to="/audit/$chain/$sequence"
        params={{ chain: String(client_id ?? 'none'), sequence: String(sequence) }}
        search={{ at }}
        fw={600}
        size="sm"
      >
        {actionText(action)}
      </AnchorLink>
    ),
  },
  { title: 'On what', isMinor: true, cell: (record) => <TargetLink record={record} /> },
  { title: 'Who', cell: actorText },
  { title: 'Partner', isMinor: true, isFigure: true, cell: ({ client_id }) => client_id ?? '–' },
  {
    title: 'Why',
    isMinor: true,
    cell: ({ reason }) => (
      <Text size="sm" lineClamp={2} maw={360}>
        {reason ?? '–'}
      </Text>
    ),
  },
];

export function Audit() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const filter = filterOf(search);
  const query = useInfiniteQuery(listing('AuditList', { ...filter, limit: 50 }));
  const set = (part: AuditSearch) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <Page
      title="Audit"
      about="What staff and the terminal did, by whom and why, the newest first."
      actions={
        <>
          {may('StaffReview') && !may('StaffList') && (
            <DownloadButton label="Access review (CSV)" name="StaffReview" body={{}} />
          )}
          {may('AuditExport') && <DownloadButton label="Export" name="AuditExport" body={filter} />}
        </>
      }
    >
      <ChainCheck key={search.partner} partner={search.partner} />
      <Filters search={search} set={set} />
      <ListTable
        label="Audit"
        query={query}
        rowsOf={(page) => page.records}
        keyOf={({ client_id, sequence }) => `${client_id} ${sequence}`}
        columns={columns}
        empty={<Empty title="Nothing was recorded that matches">Clear a filter, or choose other days.</Empty>}
      />
    </Page>
  );
}
