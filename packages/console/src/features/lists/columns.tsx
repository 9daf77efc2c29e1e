import { Checkbox, Select, Stack, Table, Text, Title } from '@mantine/core';
import { oneOf } from '../../ui/search.ts';
import { columnName, fieldsOf, type ListTable, withHeader } from './list-table.ts';

interface ColumnsProps {
  table: ListTable;
  currencies: string[];
  currency: string | null;
  /** Whether the list has terms of its own. */
  isOwn: boolean;
  onTable(table: ListTable): void;
  onCurrency(currency: string | null): void;
}

/** Whether the first line names the columns, and what each is taken for; who knows better says so. */
export function Columns({ table, currencies, currency, isOwn, onTable, onCurrency }: ColumnsProps) {
  const offered = fieldsOf(isOwn);
  const take = (place: number, value: string | null) => {
    const field = oneOf(offered, value) ?? null;
    const columns = table.columns.map((each, i) => (i === place ? field : each === field ? null : each));
    onTable({ ...table, columns });
  };
  return (
    <Stack gap="xs" component="section" aria-label="Columns">
      <Title order={2}>Columns</Title>
      <FirstLine {...{ table, onTable }} />
      <Table.ScrollContainer minWidth={320} type="native" className="panel">
        <Table aria-label="Columns" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>In the list</Table.Th>
              <Table.Th>Such as</Table.Th>
              <Table.Th>Taken as</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.columns.map((field, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place.
              <Table.Tr key={i}>
                <Table.Td>{columnName(table, i)}</Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed">
                    {table.rows
                      .slice(0, 2)
                      .map(({ cells }) => cells[i]?.slice(0, 40))
                      .join(', ')}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Select
                    aria-label={`${columnName(table, i)} is taken as`}
                    size="xs"
                    data={offered}
                    value={field !== null && offered.includes(field) ? field : null}
                    placeholder={field === null ? 'not used' : 'the campaign says it'}
                    onChange={(value) => take(i, value)}
                    clearable
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {!table.columns.includes('currency') && (
        <Select
          label="Currency of all players"
          description={
            table.columns.includes(null)
              ? 'No column is taken as it: say above which one is, or choose one for all.'
              : 'The list has no column for it.'
          }
          data={currencies}
          value={currency}
          onChange={onCurrency}
          searchable
          maw={280}
        />
      )}
    </Stack>
  );
}

const FirstLine = ({ table, onTable }: Pick<ColumnsProps, 'table' | 'onTable'>) => (
  <Checkbox
    label="The first line names the columns"
    description={table.header === null && `It is taken as a player: ${table.rows[0]?.cells.join(', ').slice(0, 100)}`}
    checked={table.header !== null}
    onChange={(event) => onTable(withHeader(table, event.currentTarget.checked))}
  />
);
