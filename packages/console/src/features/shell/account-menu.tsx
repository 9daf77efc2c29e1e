import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePerson } from '../../api/session.ts';

export function AccountMenu() {
  const { name, role, email } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    await call('SignOut', {});
    queries.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {role}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)} fw={colorScheme === scheme ? 700 : undefined}>
            {{ auto: 'As the system', light: 'Light', dark: 'Dark' }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
