import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { CheckIcon, PersonIcon, SignOutIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { usePerson } from '../../api/session.ts';
import { useTimesChoice } from './exact-times.ts';

const schemes = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;
const times = { relative: 'How long ago, or ahead', exact: 'Exact' } as const;

export function AccountMenu() {
  const { name, role, email } = usePerson();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [timesChoice, setTimes] = useTimesChoice();
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
