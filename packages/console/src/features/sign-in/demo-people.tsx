import { Avatar, Divider, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { demoPassword, demoPeople } from './ways.ts';

interface DemoPeopleProps {
  isBusy: boolean;
  onChoose(person: { email: string; password: string }): void;
}

/** One click each. */
export const DemoPeople = ({ isBusy, onChoose }: DemoPeopleProps) => (
  <Stack gap="xs" component="section" aria-label="Demo people">
    <Divider label="This is a demo: go in with one click as" />
    {demoPeople.map(({ email, name, about }) => (
      <UnstyledButton
        key={email}
        className="panel panel-link"
        p="xs"
        disabled={isBusy}
        onClick={() => onChoose({ email, password: demoPassword })}
      >
        <Group gap="sm" wrap="nowrap">
          <Avatar name={name} size={32} color="accent" aria-hidden />
          <div>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </div>
        </Group>
      </UnstyledButton>
    ))}
  </Stack>
);
