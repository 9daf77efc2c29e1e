import type { AuditRecord } from '@freebets/contract';
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type CallResponse, call } from '../../api/call.ts';
import { listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { DownloadButton } from '../../ui/download.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { AnchorLink, Empty, Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { type AuditSearch, chainOf, Filters, filterOf } from './filters.tsx';
import { actionText, actorText, TargetLink } from './words.tsx';

const route = getRouteApi('/inside/audit');

const columns: Column<AuditRecord>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Action',
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
  { title: 'Target', isMinor: true, cell: (record) => <TargetLink record={record} /> },
  { title: 'By', cell: actorText },
  { title: 'Partner', isMinor: true, isFigure: true, cell: ({ client_id }) => client_id ?? '–' },
  {
    title: 'Reason',
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
  const query = useInfiniteQuery(listQuery('AuditList', { ...filter, limit: 50 }));
  const set = (part: AuditSearch) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <Page
      title="Audit log"
      about="Every change by staff or on the command line, with the reason. Newest first."
      actions={
        <>
          {may('StaffReview') && !may('StaffList') && (
            <DownloadButton label="Access review (CSV)" name="StaffReview" body={{}} />
          )}
          {may('AuditExport') && <DownloadButton label="Export NDJSON" name="AuditExport" body={filter} />}
        </>
      }
    >
      <ChainCheck key={search.partner} partner={search.partner} />
      <Filters search={search} set={set} />
      <ListTable
        label="Audit log"
        query={query}
        rowsOf={(page) => page.records}
        keyOf={({ client_id, sequence }) => `${client_id} ${sequence}`}
        columns={columns}
        empty={<Empty title="No matching records">Clear a filter or choose other dates.</Empty>}
      />
    </Page>
  );
}

type Verified = CallResponse<'AuditVerify'>;

/** Each record contains the hash of the previous one. Verifies that all records are unchanged. */
function ChainCheck({ partner }: { partner: string | undefined }) {
  const chain = chainOf(partner);
  const check = useMutation({
    mutationFn: () => call('AuditVerify', chain === undefined ? {} : { client_id: chain }),
  });
  return (
    <Stack gap={0}>
      <Group gap="sm">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          Verify audit log
        </Button>
        <Text size="sm" c="dimmed">
          Checks that no record was changed, removed or inserted later.
        </Text>
      </Group>
      <div role="status">{check.data && <Answer verified={check.data} />}</div>
      {check.error && <ErrorNote error={check.error} />}
    </Stack>
  );
}

const nameOf = (client_id: number | null): string =>
  client_id === null ? 'without a partner' : `of partner ${client_id}`;

function Answer({ verified: { is_whole, chains } }: { verified: Verified }) {
  const records = chains.reduce((sum, { length }) => sum + length, 0);
  const only = chains.length === 1 && chains[0];
  if (is_whole) {
    return (
      <Alert color="green" title="The audit log is intact" variant="light" mt="sm">
        {count(records)} records {only ? nameOf(only.client_id) : `in ${count(chains.length)} chains`} are unchanged.
      </Alert>
    );
  }
  const broken = chains.filter(({ break_count }) => break_count > 0);
  return (
    <Alert color="red" title="The audit log was tampered with" variant="light" mt="sm">
      {broken.map(({ client_id, break_count, breaks }) => (
        <div key={client_id}>
          <Text size="sm" fw={600}>
            Records {nameOf(client_id)}: {count(break_count)} {break_count === 1 ? 'break' : 'breaks'}
          </Text>
          <List size="sm">
            {breaks.map(({ sequence, through, message }) => (
              <List.Item key={sequence}>
                {sequence === through ? `Record ${sequence}` : `Records ${sequence} to ${through}`}: {message}
              </List.Item>
            ))}
          </List>
        </div>
      ))}
    </Alert>
  );
}
