import { Group, Progress, Text } from '@mantine/core';
import { count } from './money.tsx';

/** How much of what may be given is given. Without a limit there is only how much. */
export function Budget({ given, limit }: { given: number; limit: number | null }) {
  if (limit === null) {
    return (
      <Text size="sm" span className="figure">
        {count(given)} given, no limit
      </Text>
    );
  }
  const share = limit === 0 ? 100 : Math.min(100, (given / limit) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" span className="figure">
          {count(given)} of {count(limit)}
        </Text>
        <Text size="xs" c="dimmed" span className="figure">
          {Math.floor(share)} %
        </Text>
      </Group>
      <Progress value={share} size="sm" color={share >= 90 ? 'orange' : 'accent'} aria-label="Given of the limit" />
    </div>
  );
}
