import {
  Badge,
  Button,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { Details, Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Time } from '../../ui/time.tsx';
import { NewPassword, newPasswordMin } from '../sign-in/signing-in.tsx';
import { OwnSecondFactor } from './second-factor.tsx';

/** What people may change about themselves. */
export function Account() {
  const { name, email, role, partners } = usePerson();
  const scope =
    partners === null ? 'all partners' : `${partners.length === 1 ? 'partner' : 'partners'} ${partners.join(', ')}`;
  return (
    <Page title="Your account" about={`${name} · ${email} · ${role} of ${scope}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Details title="Password">
          <PasswordChange />
        </Details>
        <Details title="Second factor">
          <OwnSecondFactor />
        </Details>
      </SimpleGrid>
      <Sessions />
    </Page>
  );
}

function PasswordChange() {
  const form = useForm({ initialValues: { password: '', new_password: '' } });
  const { password, new_password } = form.values;
  const { email } = usePerson();
  const call = useChange('session');
  const change = useMutation({
    mutationFn: () => call('PasswordChange', form.values),
    onSuccess: ({ ended }) => {
      form.reset();
      notifications.show({ message: `Your password is changed. Other sessions ended: ${ended}.` });
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => change.mutate())}>
      <Stack>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <NewPassword label="New password" {...form.getInputProps('new_password')} />
        <Text size="sm" c="dimmed">
          All your other sessions end with it.
        </Text>
        {change.error && <RefusalNote error={change.error} />}
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={password === '' || new_password.length < newPasswordMin}
        >
          Change the password
        </Button>
      </Stack>
    </form>
  );
}

/** Where one is signed in. */
function Sessions() {
  const { data, error } = useQuery(asking('SessionList', {}));
  const change = useChange('session');
  const end = useMutation({
    mutationFn: (which: { session_id: string } | { all_others: true }) => change('SessionEnd', which),
  });
  const sessions = data?.sessions ?? [];
  return (
    <section aria-label="Sessions">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Sessions</Title>
        {sessions.length > 1 && (
          <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate({ all_others: true })}>
            End all others
          </Button>
        )}
      </Group>
      {(error ?? end.error) && <RefusalNote error={(error ?? end.error) as Error} />}
      <Table.ScrollContainer minWidth={320} type="native" className="panel" pos="relative">
        <Table aria-label="Sessions" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th visibleFrom="sm">Address</Table.Th>
              <Table.Th visibleFrom="sm">Since</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th>
                <VisuallyHidden>End it</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map(({ session_id, browser, address, since, last_seen, current }) => (
              <Table.Tr key={session_id}>
                <Table.Td>{browserName(browser)}</Table.Td>
                <Table.Td className="figure" visibleFrom="sm">
                  {address ?? '–'}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Time at={since} />
                </Table.Td>
                <Table.Td>
                  <Time at={last_seen} />
                </Table.Td>
                <Table.Td ta="right">
                  {current ? (
                    <Badge variant="light" tt="none">
                      this one
                    </Badge>
                  ) : (
                    <Button size="compact-sm" variant="default" onClick={() => end.mutate({ session_id })}>
                      End
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Such as "Firefox on Windows"; else what the browser said of itself. */
function browserName(said: string | null): string {
  if (said === null) return 'unknown';
  const nameIn = (known: [RegExp, string][]) => known.find(([form]) => form.test(said))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  return browser && system ? `${browser} on ${system}` : said.slice(0, 60);
}
