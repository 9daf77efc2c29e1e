import { useEffect, useState } from 'react';
import { type CheckedList, checkList, type HowToCheck } from './check-list.ts';
import type { ListTable } from './list-table.ts';

/** What the check of a list has found; undefined while it goes on. */
export function useCheckedList(
  table: ListTable | null,
  { currencies, currency, isOwn }: HowToCheck,
): CheckedList | undefined {
  const [checked, setChecked] = useState<CheckedList>();
  const known = currencies.join(' ');
  useEffect(() => {
    setChecked(undefined);
    if (table === null) return;
    const ended = new AbortController();
    checkList(table, { currencies: known.split(' '), currency, isOwn }, ended.signal).then(setChecked, () => {});
    return () => ended.abort();
  }, [table, known, currency, isOwn]);
  return checked;
}
