import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { BarsProps } from './bars.tsx';

const Bars = lazy(async () => ({ default: (await import('./bars.tsx')).Bars }));

/** Bars, with their shape while they are loaded. */
export const LazyBars = (props: BarsProps) => (
  <Suspense fallback={<Skeleton height={props.height ?? 240} />}>
    <Bars {...props} />
  </Suspense>
);
