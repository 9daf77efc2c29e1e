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
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';
import { columnName, fieldsOf, fileChunks, type ListTable, readTable, textChunks, withHeader } from './list-table.ts';

interface SourceProps {
  /** Whether the bulk award has its own terms. */
  isOwn: boolean;
  table: ListTable | null;
  onTable(table: ListTable | null): void;
  /** Pasted text that is not read yet. */
  text: string;
  onText(text: string): void;
  /** The number of the latest read. Earlier reads are ignored. */
  latestRead: RefObject<number>;
}

/** A dropped or chosen file, or pasted text. It is read in the browser and not sent yet. */
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
          Replace list
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
          or drop a CSV file here, or paste it below. Columns: player_id, currency and optionally issue_id
          {isOwn && ', bet_amount, quantity'}.
        </Text>
      </Group>
      <PastedList
        {...{ isReading, text, onText }}
        onRead={(pasted) => read('Pasted list', textChunks(pasted)).catch(reportError)}
      />
      {error && <ErrorNote error={error} />}
    </Stack>
  );
}

function FileChooser({ isReading, onFile }: { isReading: boolean; onFile(file: File | null): void }) {
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    // Browsers fire no event if the same file is chosen again, even if its content changed.
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
          Choose file
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
        // A long list skips the field, because rendering it would take longer than reading it.
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain');
          if (text !== '' || pasted.length < 10_000) return;
          event.preventDefault();
          onRead(pasted);
        }}
      />
      <Group gap="sm">
        <Button variant="default" size="xs" disabled={text.trim() === '' || isReading} onClick={() => onRead(text)}>
          Use pasted list
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
  /** Whether the bulk award has its own terms. */
  isOwn: boolean;
  onTable(table: ListTable): void;
  onCurrency(currency: string | null): void;
}

/** Shows how the first line and the columns were recognised. The user can change both. */
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
              <Table.Th>Column in the list</Table.Th>
              <Table.Th>Example</Table.Th>
              <Table.Th>Used as</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.columns.map((field, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by their position.
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
                    aria-label={`${columnName(table, i)} is used as`}
                    size="xs"
                    data={offered}
                    value={field !== null && offered.includes(field) ? field : null}
                    placeholder={field === null ? 'not used' : 'set by the campaign'}
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
          label="Currency for all players"
          description={
            table.columns.includes(null)
              ? 'No column is used as the currency. Select one above, or choose one currency for all.'
              : 'The list has no currency column.'
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
    label="The first line contains column names"
    description={table.header === null && `It is used as a player: ${table.rows[0]?.cells.join(', ').slice(0, 100)}`}
    checked={table.header !== null}
    onChange={(event) => onTable(withHeader(table, event.currentTarget.checked))}
  />
);
