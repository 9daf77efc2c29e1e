import type { JobBody } from '@freebets/contract';
import { Group, Progress, Text } from '@mantine/core';
import { count } from '../../ui/money.tsx';

export const refusedIn = ({ refused }: JobBody): number =>
  Object.values(refused).reduce((sum, each) => sum + (each ?? 0), 0);

/** Issued, refused, and what is still to come. */
export function JobProgress({ job, isLarge = false }: { job: JobBody; isLarge?: boolean }) {
  const { items, issued } = job;
  const refused = refusedIn(job);
  const share = (part: number) => (items === 0 ? 0 : (part / items) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size={isLarge ? 'md' : 'sm'} span className="figure">
          {count(issued)} of {count(items)}
        </Text>
        {refused > 0 && (
          <Text size="xs" c="dimmed" span className="figure">
            {count(refused)} refused
          </Text>
        )}
      </Group>
      <Progress.Root size={isLarge ? 'lg' : 'sm'}>
        <Progress.Section value={share(issued)} aria-label="Issued" />
        <Progress.Section value={share(refused)} color="orange" aria-label="Refused" />
      </Progress.Root>
    </div>
  );
}
