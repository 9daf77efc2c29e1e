import { useMemo } from 'react';
import type { CheckedList } from './check-list.ts';
import type { ListTerms } from './list-terms.ts';
import { type Promised, promisedOf } from './promised.ts';

export const usePromised = ({ campaign }: Pick<ListTerms, 'campaign'>, checked: CheckedList): Promised =>
  useMemo(() => promisedOf(campaign, checked), [campaign, checked]);
