import { Badge } from '@mantine/core';

// A status in its colour: what runs is green, what waits is blue, what ended by itself is grey, what somebody ended is red.

const colours: Record<string, string> = {
  active: 'green',
  running: 'green',
  received: 'green',
  approved: 'green',
  on: 'green',
  won: 'green',
  scheduled: 'blue',
  not_started: 'blue',
  open: 'blue',
  submitted: 'blue',
  waiting: 'blue',
  pending: 'blue',
  confirmed: 'green',
  placed: 'blue',
  in_use: 'blue',
  invited: 'blue',
  paused: 'yellow',
  failing: 'yellow',
  stopped: 'red',
  cancelled: 'red',
  refused: 'red',
  failed: 'red',
  disabled: 'red',
};

export const Status = ({ is }: { is: string }) => (
  <Badge color={colours[is] ?? 'gray'} variant="light" tt="none" fw={600} radius="sm" miw="max-content">
    {is.replaceAll('_', ' ')}
  </Badge>
);
