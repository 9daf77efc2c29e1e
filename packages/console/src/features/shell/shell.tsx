import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { AccountMenu } from './account-menu.tsx';
import { Navigation } from './navigation.tsx';
import { PartnerSwitch } from './partner-switch.tsx';

/** The frame around every screen. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useLive();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <Text component={Link} to="/" fw={700} className="quiet-link">
              Freebets
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <PartnerSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <AppShell.Section grow component={ScrollArea}>
          <Navigation onGo={close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
