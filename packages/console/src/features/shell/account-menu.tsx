import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { CheckIcon, PersonIcon, SignOutIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { usePerson } from '../../api/session.ts';

const schemes = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

export function AccountMenu() {
  const { name, role, email } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton>
          <Group gap="xs" wrap="nowrap">
            <Avatar name={name} size={32} color="accent" aria-hidden />
            <VisuallyHidden hiddenFrom="sm">Account of {name}</VisuallyHidden>
            <Group gap={0} visibleFrom="sm">
              <div>
                <Text size="sm" fw={600} lh={1.2}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" lh={1.2}>
                  {role}
                </Text>
              </div>
            </Group>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {email} · {role}
        </Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<PersonIcon size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {Object.entries(schemes).map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme as keyof typeof schemes)}
            rightSection={colorScheme === scheme && <CheckIcon size={16} aria-label="chosen" />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/sign-out" leftSection={<SignOutIcon size={16} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
