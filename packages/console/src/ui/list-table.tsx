import { Button, Group, Skeleton, Table } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { RefusalNote } from './refusal.tsx';

// A list of the server, page after page: it pages, sorts and searches there, and no more is loaded than is shown.

export interface Column<Row> {
  title: string;
  /** What a row shows; figures stand on the right. */
  cell(row: Row): ReactNode;
  isFigure?: boolean;
  /** Left out where there is little room. */
  isMinor?: boolean;
}

interface ListTableProps<Page, Row> {
  /** What the table lists, for those who hear it. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<Page>, Error>;
  rowsOf(page: Page): Row[];
  keyOf(row: Row): string;
  columns: Column<Row>[];
  empty: ReactNode;
}

/** A page may have none of what is wanted, and still have a next one: so many are gone through by themselves. */
const searchedPages = 10;

export function ListTable<Page, Row>({ label, query, rowsOf, keyOf, columns, empty }: ListTableProps<Page, Row>) {
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const rows = data?.pages.flatMap(rowsOf) ?? [];
  const isNoneSoFar = rows.length === 0 && hasNextPage;
  const isSearching = isNoneSoFar && !error && (data?.pages.length ?? 0) < searchedPages;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  if (error && !data) return <RefusalNote error={error} onRetry={() => void refetch()} />;
  if (!isPending && rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      {error && <RefusalNote error={error} onRetry={() => void refetch()} />}
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
            {isNoneSoFar ? 'None found so far: search further' : 'Show more'}
          </Button>
        </Group>
      )}
    </>
  );
}

/** The shape of what comes. */
const LoadingRows = ({ columns }: { columns: number }) =>
  Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
    <Table.Tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <Table.Td key={column}>
          <Skeleton height={14} width={column === 0 ? '70%' : '50%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
