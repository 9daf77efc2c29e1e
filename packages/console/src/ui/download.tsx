import { type Cell, csvMark, csvRow, csvText } from '@freebets/contract/csv';
import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type CallName, type CallRequest, download } from '../api/call.ts';
import { ErrorNote } from './error-note.tsx';

/** Saves a response that is a file. */
export function DownloadButton<N extends CallName>({
  label,
  name,
  body,
}: {
  label: string;
  name: N;
  body: CallRequest<N>;
}) {
  const saving = useMutation({ mutationFn: () => download(name, body) });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
        {label}
      </Button>
      {saving.error && <ErrorNote error={saving.error} />}
    </Stack>
  );
}

/** A table as a file for spreadsheets. */
export const saveCsv = (fileName: string, rows: Cell[][]): void => save(fileName, rows.map(csvRow));

/** A table as a file that is imported again: every cell keeps its exact text. */
export const saveExactCsv = (fileName: string, rows: string[][]): void =>
  save(
    fileName,
    rows.map((cells) => `${cells.map(csvText).join(',')}\r\n`),
  );

function save(fileName: string, lines: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvMark, ...lines], { type: 'text/csv' }));
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
