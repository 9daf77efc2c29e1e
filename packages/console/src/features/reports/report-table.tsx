import { Anchor, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallResponse } from '../../api/call.ts';
import { listQuery } from '../../api/queries.ts';
import { idInPath } from '../../ui/address.ts';
import { count, Money } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name } from '../../ui/page.tsx';
import {
  groupText,
  isMoney,
  keyOf,
  type Measure,
  measures,
  nameOf,
  type ReportGroup,
  type Row,
  type Selection,
  sharedNames,
} from './selection.ts';

type Total = CallResponse<'ReportGet'>['totals'][number];
const minor: Measure[] = ['cancelled', 'expired', 'settled', 'staked'];

/** Whether the text may wrap. */
const isWord = (group: ReportGroup): boolean => !['day', 'month', 'currency'].includes(group);

const titled = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

const cellOf = (row: Row | Total, measure: Measure) =>
  isMoney(measure) ? <Money amount={String(row[measure])} currency={row.currency} /> : count(Number(row[measure]));

interface ReportTableProps {
  selection: Selection;
  isWithoutSandboxes: boolean;
}

/** The rows, and above them the totals of all pages by currency. */
export function ReportTable({ selection: { asked, by }, isWithoutSandboxes }: ReportTableProps) {
  const query = useInfiniteQuery(listQuery('ReportGet', { ...asked, by, limit: 100 }));
  const shown = by.includes('currency') ? by : [...by, 'currency' as const];
  const shared = sharedNames(query.data?.pages.flatMap((page) => page.rows) ?? []);
  const columns: Column<Row>[] = [
    ...shown.map((group) => ({
      title: titled(groupText(group)),
      cell: (row: Row) => <Group group={group} row={row} clientId={asked.client_id} shared={shared} />,
    })),
    ...measures.map((measure) => ({
      title: titled(measure),
      isFigure: true,
      isMinor: minor.includes(measure),
      cell: (row: Row) => cellOf(row, measure),
    })),
  ];
  return (
    <>
      <Totals totals={query.data?.pages[0]?.totals ?? []} />
      <ListTable
        label="Report"
        query={query}
        rowsOf={(page) => page.rows}
        keyOf={keyOf}
        columns={columns}
        empty={
          <Empty title="No activity in this period">
            {isWithoutSandboxes
              ? 'Choose other dates, another partner or the sandboxes.'
              : 'Choose other dates, or another partner above.'}
          </Empty>
        }
      />
    </>
  );
}

interface GroupProps {
  group: ReportGroup;
  row: Row;
  /** The partner, if the report covers only one. */
  clientId: number | undefined;
  shared: Set<string>;
}

/** The name of a row. A campaign links to its screen if its partner is known. */
function Group({ group, row, clientId = row.client_id, shared }: GroupProps) {
  const name = nameOf(group, row);
  const isShared = group === 'campaign' && shared.has(name);
  if (!isWord(group)) return <span className="figure">{name}</span>;
  if (group !== 'campaign' || row.campaign_id == null) return <Name isShort>{name}</Name>;
  return (
    <>
      {clientId === undefined ? (
        <Name isShort>{name}</Name>
      ) : (
        <Anchor component={Link} to={`/p/${clientId}/campaigns/${idInPath(row.campaign_id)}`} size="sm">
          <Name isShort>{name}</Name>
        </Anchor>
      )}
      {isShared && (
        <Text size="xs" c="dimmed" className="name">
          {row.campaign_id}
        </Text>
      )}
    </>
  );
}

function Totals({ totals }: { totals: Total[] }) {
  if (totals.length === 0) return null;
  return (
    <section aria-label="Totals">
      <Title order={2} mb="xs">
        Totals
      </Title>
      <Table.ScrollContainer minWidth={360} type="native" className="panel">
        <Table aria-label="Totals by currency" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Currency</Table.Th>
              {measures.map((measure) => (
                <Table.Th key={measure} ta="right" visibleFrom={minor.includes(measure) ? 'sm' : undefined}>
                  {titled(measure)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {totals.map((total) => (
              <Table.Tr key={total.currency} fw={600}>
                <Table.Th scope="row">{total.currency}</Table.Th>
                {measures.map((measure) => (
                  <Table.Td
                    key={measure}
                    ta="right"
                    className="figure"
                    visibleFrom={minor.includes(measure) ? 'sm' : undefined}
                  >
                    {cellOf(total, measure)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
