import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLogout, IconUserCog } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePerson } from '../../api/session.ts';

const schemes = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

export function AccountMenu() {
  const { name, role, email } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    await call('SignOut', {});
    // What is on the screen asks who is signed in for as long as it is there.
    await navigate({ to: '/sign-in', ignoreBlocker: true });
    queries.clear();
  };
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
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCog size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {Object.entries(schemes).map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme as keyof typeof schemes)}
            rightSection={colorScheme === scheme && <IconCheck size={16} aria-label="chosen" />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()} leftSection={<IconLogout size={16} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
