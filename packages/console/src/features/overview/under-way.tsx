import { Anchor, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import type { Standing } from './overview.tsx';

// What somebody may have to see to at this moment; where there is nothing, nothing is shown.

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack component="section" aria-label={title} className="panel" p="md" gap="sm">
    <Title order={2}>{title}</Title>
    {children}
  </Stack>
);

/** Whose events do not arrive. */
export function Troubled({ standing: { webhooks } }: { standing: Standing }) {
  const rest = webhooks.failing + webhooks.off - webhooks.shown.length;
  if (webhooks.shown.length === 0) return null;
  return (
    <Part title="Webhooks that need somebody">
      {webhooks.shown.map(({ client_id, partner, state, since, reason }) => (
        <Group key={client_id} gap="sm">
          <Anchor component={Link} to={`/p/${client_id}/events?view=deliveries`} size="sm" fw={600}>
            {partner}
          </Anchor>
          <Status is={state} />
          <Text size="sm" c="dimmed" component="div">
            since <Time at={since} />
            {reason && ` · ${reason}`}
          </Text>
        </Group>
      ))}
      <Rest of={rest} />
    </Part>
  );
}

/** Lists of players who are given something at this moment. */
export function Running({ standing: { jobs } }: { standing: Standing }) {
  if (jobs.shown.length === 0) return null;
  return (
    <Part title="Lists running">
      {jobs.shown.map(({ client_id, partner, job_id, name, items, issued, refused, per_second }) => (
        <div key={job_id}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" component="div">
              <Anchor component={Link} to={`/p/${client_id}/lists/${job_id}`} size="sm" fw={600}>
                {name}
              </Anchor>{' '}
              · {partner}
            </Text>
            <Text size="sm" c="dimmed" className="figure">
              {count(issued + refused)} of {count(items)}
              {per_second !== null && ` · ${count(per_second)} a second`}
            </Text>
          </Group>
          <Progress
            value={items === 0 ? 0 : ((issued + refused) / items) * 100}
            size="sm"
            aria-label={`Done of ${name}`}
          />
        </div>
      ))}
      <Rest of={jobs.running - jobs.shown.length} />
    </Part>
  );
}

const Rest = ({ of }: { of: number }) =>
  of > 0 && (
    <Text size="sm" c="dimmed">
      and {count(of)} more
    </Text>
  );
