import { Anchor, AppShell, Burger, Group, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { Brand } from '../../ui/brand.tsx';
import { ExactTimes } from '../../ui/time.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useExactTimes } from './exact-times.ts';
import { Locked } from './locked.tsx';
import { Navigation } from './navigation.tsx';
import { PartnerSwitch } from './partner-switch.tsx';
import { useSessionEnd } from './session-end.ts';

const contentId = 'content';

/** The frame around every screen. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useLive();
  const { isLocked, leave, goOn } = useSessionEnd();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <AppShell.Header>
        <SkipLink />
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <Anchor component={Link} to="/" c="inherit" underline="never" aria-label="Freebets, to the overview">
              <Brand />
            </Anchor>
          </Group>
          <Group gap="sm" wrap="nowrap" miw={0}>
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
      <AppShell.Main id={contentId} tabIndex={-1}>
        <ExactTimes value={useExactTimes()}>
          <Outlet />
        </ExactTimes>
      </AppShell.Main>
      {isLocked && <Locked onEntered={goOn} onLeave={leave} />}
    </AppShell>
  );
}

/** The first thing that the keyboard reaches: past the menu. A plain link would go by the base of the page. */
const SkipLink = () => (
  <button type="button" className="skip-link" onClick={() => document.getElementById(contentId)?.focus()}>
    Skip to the content
  </button>
);
