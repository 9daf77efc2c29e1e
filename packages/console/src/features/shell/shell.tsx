import {
  Anchor,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  ScrollArea,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BookIcon, CheckIcon, PersonIcon, SignOutIcon } from '@primer/octicons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { usePerson } from '../../api/session.ts';
import { Brand } from '../../ui/page.tsx';
import { ExactTimes } from '../../ui/time.tsx';
import { PartnerSwitch, useExactTimes, useTimesChoice } from './chosen-partner.tsx';
import { documentationOf } from './documentation.ts';
import { Navigation } from './navigation.tsx';
import { Locked, useSessionEnd } from './session-end.tsx';

const contentId = 'content';

/** The frame around every screen. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useLive();
  const { isLocked, leave, resume } = useSessionEnd();
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
            <Anchor component={Link} to="/" c="inherit" underline="never" aria-label="Freebets overview">
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
      {isLocked && <Locked onEntered={resume} onLeave={leave} />}
    </AppShell>
  );
}

/**
 * The first element in tab order. It is a button, because a link to #content would resolve against the page's <base>.
 */
const SkipLink = () => (
  <button type="button" className="skip-link" onClick={() => document.getElementById(contentId)?.focus()}>
    Skip to content
  </button>
);

const schemes = { auto: 'System default', light: 'Light', dark: 'Dark' } as const;
const times = { relative: 'Relative', exact: 'Exact' } as const;

function AccountMenu() {
  const { name, role, email } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [timesChoice, setTimes] = useTimesChoice();
  const { pathname } = useLocation();
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
        <Menu.Item component="a" href={documentationOf(pathname)} target="_blank" leftSection={<BookIcon size={16} />}>
          Documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Choices labels={schemes} chosen={colorScheme} onChoose={setColorScheme} />
        <Menu.Divider />
        <Menu.Label>Times</Menu.Label>
        <Choices labels={times} chosen={timesChoice} onChoose={(choice) => setTimes(choice)} />
        <Menu.Divider />
        <Menu.Item component={Link} to="/sign-out" leftSection={<SignOutIcon size={16} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoicesProps<Choice extends string> {
  labels: Record<Choice, string>;
  chosen: Choice;
  onChoose(choice: Choice): void;
}

const Choices = <Choice extends string>({ labels, chosen, onChoose }: ChoicesProps<Choice>) =>
  (Object.keys(labels) as Choice[]).map((choice) => (
    <Menu.Item
      key={choice}
      onClick={() => onChoose(choice)}
      rightSection={choice === chosen && <CheckIcon size={16} aria-label="chosen" />}
    >
      {labels[choice]}
    </Menu.Item>
  ));
