import { Anchor, Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Details } from '../../ui/details.tsx';
import { count } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { partnerText, parts, type Standing } from './parts.ts';

// What somebody may have to see to at this moment; where there is nothing, nothing is shown.

/** Whose events do not arrive. */
export function Troubled({ standing: { webhooks } }: { standing: Standing }) {
  const rest = webhooks.failing + webhooks.off - webhooks.shown.length;
  if (webhooks.shown.length === 0) return null;
  return (
    <Details title="Webhooks that need somebody" id={parts.webhooks}>
      {webhooks.shown.map(({ client_id, partner, sandbox, state, since, reason }) => (
        <Group key={client_id} gap="sm">
          <Anchor component={Link} to={`/p/${client_id}/events?view=deliveries`} size="sm" fw={600}>
            {partnerText({ partner, sandbox })}
          </Anchor>
          <Status is={state} />
          <Text size="sm" c="dimmed" component="div">
            since <Time at={since} />
            {reason && ` · ${reason}`}
          </Text>
        </Group>
      ))}
      <Rest of={rest} />
    </Details>
  );
}

/** Lists of players who are given something at this moment. */
export function Running({ standing: { jobs } }: { standing: Standing }) {
  if (jobs.shown.length === 0) return null;
  return (
    <Details title="Lists running" id={parts.lists}>
      {jobs.shown.map(({ client_id, partner, sandbox, job_id, name, items, issued, refused, per_second }) => (
        <div key={job_id}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" component="div">
              <Anchor component={Link} to={`/p/${client_id}/lists/${job_id}`} size="sm" fw={600}>
                {name}
              </Anchor>{' '}
              · {partnerText({ partner, sandbox })}
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
    </Details>
  );
}

const Rest = ({ of }: { of: number }) =>
  of > 0 && (
    <Text size="sm" c="dimmed">
      and {count(of)} more
    </Text>
  );
