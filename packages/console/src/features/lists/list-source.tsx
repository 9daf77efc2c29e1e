import {
  Button,
  Checkbox,
  FileButton,
  Group,
  Loader,
  Select,
  Stack,
  Table,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { oneOf } from '../../ui/address.ts';
import { count } from '../../ui/figures.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { columnName, fieldsOf, fileChunks, type ListTable, readTable, textChunks, withHeader } from './list-table.ts';

interface SourceProps {
  /** Whether the list has terms of its own. */
  isOwn: boolean;
  table: ListTable | null;
  onTable(table: ListTable | null): void;
  /** What is typed, and not read yet. */
  text: string;
  onText(text: string): void;
  /** The number of the latest read: one that was begun before it is given up. */
  latestRead: RefObject<number>;
}

/** A file that is dropped or chosen, or text that is pasted. It is read in the browser, and goes nowhere yet. */
export function ListSource({ isOwn, table, onTable, text, onText, latestRead }: SourceProps) {
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isOver, setIsOver] = useState(false);
  const read = async (name: string, chunks: AsyncGenerator<string>) => {
    latestRead.current += 1;
    const number = latestRead.current;
    setIsReading(true);
    setError(null);
    const result = await readTable(name, chunks).catch((problem: Error) => problem);
    if (number !== latestRead.current) return;
    setIsReading(false);
    if (result instanceof Error) {
      onTable(null);
      setError(result);
    } else {
      onTable(result);
      onText('');
    }
  };
  const readFile = (file: File | null | undefined) => file && read(file.name, fileChunks(file)).catch(reportError);
  if (table) {
    return (
      <Group p="md" className="panel" justify="space-between">
        <Text size="sm">
          <strong>{table.name}</strong>: {count(table.rows.length)} {table.rows.length === 1 ? 'line' : 'lines'}
        </Text>
        <Button size="xs" variant="default" onClick={() => onTable(null)}>
          Another list
        </Button>
      </Group>
    );
  }
  return (
    <Stack
      p="md"
      gap="sm"
      className="panel"
      bd={isOver ? '2px dashed accent' : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        readFile(event.dataTransfer.files[0]);
      }}
    >
      <Group gap="sm">
        <FileChooser isReading={isReading} onFile={readFile} />
        <Text size="sm" c="dimmed">
          or drop a CSV file here, or paste it below. Columns: player_id, currency, and if you like issue_id
          {isOwn && ', bet_amount, quantity'}.
        </Text>
      </Group>
      <PastedList
        {...{ isReading, text, onText }}
        onRead={(pasted) => read('Pasted list', textChunks(pasted)).catch(reportError)}
      />
      {error && <RefusalNote error={error} />}
    </Stack>
  );
}

function FileChooser({ isReading, onFile }: { isReading: boolean; onFile(file: File | null): void }) {
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    // The browser says nothing when the file that it holds is chosen again, be it mended.
    reset.current?.();
    onFile(file);
  };
  return (
    <FileButton
      resetRef={reset}
      onChange={choose}
      accept=".csv,.tsv,.txt,text/csv"
      inputProps={{ 'aria-label': 'File' }}
    >
      {(props) => (
        <Button {...props} variant="light" loading={isReading}>
          Choose a file
        </Button>
      )}
    </FileButton>
  );
}

interface PastedListProps extends Pick<SourceProps, 'text' | 'onText'> {
  isReading: boolean;
  onRead(text: string): void;
}

function PastedList({ isReading, text, onText, onRead }: PastedListProps) {
  return (
    <>
      <Textarea
        label="Paste players"
        placeholder={'player_id,currency\nplayer-1,EUR\nplayer-2,EUR'}
        minRows={4}
        maxRows={8}
        autosize
        value={text}
        spellCheck={false}
        onChange={(event) => onText(event.currentTarget.value)}
        // A long list is not put into the field: laying it out would take longer than reading it.
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain');
          if (text !== '' || pasted.length < 10_000) return;
          event.preventDefault();
          onRead(pasted);
        }}
      />
      <Group gap="sm">
        <Button variant="default" size="xs" disabled={text.trim() === '' || isReading} onClick={() => onRead(text)}>
          Read what is pasted
        </Button>
        {isReading && <Loader size="xs" aria-label="Reading the list" />}
      </Group>
    </>
  );
}

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
