import { Button, Group, Skeleton, Table } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ErrorNote } from './error-note.tsx';

// A paged list. The server pages, sorts and searches; only the shown rows are loaded.

export interface Column<Row> {
  title: string;
  cell(row: Row): ReactNode;
  /** Right-aligned. */
  isFigure?: boolean;
  /** Hidden on narrow screens. */
  isMinor?: boolean;
}

interface ListTableProps<Page, Row> {
  /** The name that screen readers announce. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<Page>, Error>;
  rowsOf(page: Page): Row[];
  keyOf(row: Row): string;
  columns: Column<Row>[];
  empty: ReactNode;
}

/** A page can be empty and still have a next one. This many are loaded without a click. */
const searchedPages = 10;

export function ListTable<Page, Row>({ label, query, rowsOf, keyOf, columns, empty }: ListTableProps<Page, Row>) {
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const rows = data?.pages.flatMap(rowsOf) ?? [];
  const isNoneSoFar = rows.length === 0 && hasNextPage;
  const isSearching = isNoneSoFar && !error && (data?.pages.length ?? 0) < searchedPages;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!isPending && rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      <Table.ScrollContainer minWidth={320} type="native" className="panel">
        <Table
          aria-label={label}
          highlightOnHover
          highlightOnHoverColor="var(--console-hover)"
          verticalSpacing="xs"
          opacity={isPlaceholderData ? 0.6 : 1}
          aria-busy={isPlaceholderData}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, isFigure, isMinor }) => (
                <Table.Th key={title} ta={isFigure ? 'right' : 'left'} visibleFrom={isMinor ? 'sm' : undefined}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending || isSearching ? (
              <LoadingRows columns={columns.length} />
            ) : (
              rows.map((row) => (
                <Table.Tr key={keyOf(row)}>
                  {columns.map(({ title, cell, isFigure, isMinor }) => (
                    <Table.Td
                      key={title}
                      ta={isFigure ? 'right' : 'left'}
                      className={isFigure ? 'figure' : undefined}
                      visibleFrom={isMinor ? 'sm' : undefined}
                    >
                      {cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {hasNextPage && !isSearching && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isNoneSoFar ? 'Nothing found so far. Keep searching' : 'Show more'}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Placeholder rows. */
const LoadingRows = ({ columns }: { columns: number }) =>
  Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all rows are the same.
    <Table.Tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are the same.
        <Table.Td key={column}>
          <Skeleton height={14} width={column === 0 ? '70%' : '50%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
