import type { CallResponse } from '../../api/call.ts';
import { count } from '../../ui/figures.tsx';

// The gauges of the System screen.

type Reading = CallResponse<'SystemGet'>;

export interface Gauge {
  title: string;
  about: string;
  read(reading: Reading): number | null;
  text(value: number | null): string;
}

const orDash =
  (text: (value: number) => string) =>
  (value: number | null): string =>
    value === null ? '–' : text(value);

const whole = orDash(count);
const decimal = orDash((value) => value.toFixed(1));
const milliseconds = orDash((value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`);
const seconds = orDash((value) => `${value < 10 ? value.toFixed(1) : count(Math.round(value))} s`);
const megabytes = orDash((value) => `${count(Math.round(value / 1024 ** 2))} MiB`);

const ofWork: Gauge[] = [
  {
    title: 'Requests per second',
    about: 'average of 10 seconds',
    read: ({ requests }) => requests.per_second,
    text: decimal,
  },
  {
    title: 'Median latency',
    about: 'half of the requests are faster',
    read: ({ requests }) => requests.p50_ms,
    text: milliseconds,
  },
  {
    title: '99th percentile latency',
    about: '99% of the requests are faster',
    read: ({ requests }) => requests.p99_ms,
    text: milliseconds,
  },
  { title: 'Commands waiting', about: 'in the lanes', read: ({ lanes }) => lanes.depth, text: whole },
  { title: 'Batches per second', about: 'of the lanes', read: ({ lanes }) => lanes.batches_per_second, text: decimal },
  {
    title: 'Batch size',
    about: 'commands per batch',
    read: ({ lanes }) => lanes.mean_size ?? lanes.last_size,
    text: decimal,
  },
  {
    title: 'Batch decision time',
    about: 'lock, load and decide',
    read: ({ lanes }) => lanes.load_ms,
    text: milliseconds,
  },
  { title: 'Batch commit time', about: 'write and commit', read: ({ lanes }) => lanes.commit_ms, text: milliseconds },
];

const ofBacklog: Gauge[] = [
  {
    title: 'Events waiting',
    about: 'for delivery to webhooks',
    read: ({ webhooks }) => webhooks?.waiting ?? null,
    text: whole,
  },
  {
    title: 'Oldest waiting event',
    about: 'age',
    read: ({ webhooks }) => webhooks?.oldest_s ?? null,
    text: seconds,
  },
  {
    title: 'Expiry backlog',
    about: 'expired free bets not yet recorded',
    read: ({ sweeper }) => sweeper?.overdue ?? null,
    text: whole,
  },
  { title: 'Running bulk awards', about: 'on this server', read: ({ jobs }) => jobs.running, text: whole },
  { title: 'Report delay', about: 'age of the latest figures', read: ({ activity }) => activity.lag_s, text: seconds },
  { title: 'Memory', about: 'of the process', read: ({ memory }) => memory.resident_bytes, text: megabytes },
  { title: 'Heap', about: 'in use', read: ({ memory }) => memory.heap_bytes, text: megabytes },
  { title: 'Database', about: 'total size', read: ({ database }) => database.size_bytes, text: megabytes },
];

export const parts = [
  { title: 'Requests and lanes', gauges: ofWork },
  { title: 'Backlog and storage', gauges: ofBacklog },
];

export function uptimeText(uptimeSec: number): string {
  const [days, hours, minutes] = [
    Math.floor(uptimeSec / 86_400),
    Math.floor((uptimeSec % 86_400) / 3600),
    Math.floor((uptimeSec % 3600) / 60),
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${uptimeSec} s`;
}
