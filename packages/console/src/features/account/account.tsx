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
import { callQuery } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Details, Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { NewPassword, newPasswordMin } from '../sign-in/forms.tsx';
import { rightsText } from '../staff/rights.tsx';
import { OwnSecondFactor } from './second-factor.tsx';

/** Users' own password, second factor and sessions. */
export function Account() {
  const { name, email, role, partners } = usePerson();
  return (
    <Page title="Your account" about={`${name} · ${email} · ${rightsText({ role, partners })}`}>
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
      notifications.show({ message: `Password changed. Other sessions ended: ${ended}.` });
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => change.mutate())}>
      <Stack>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <NewPassword label="New password" {...form.getInputProps('new_password')} />
        <Text size="sm" c="dimmed">
          This ends all your other sessions.
        </Text>
        {change.error && <ErrorNote error={change.error} />}
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={password === '' || new_password.length < newPasswordMin}
        >
          Change password
        </Button>
      </Stack>
    </form>
  );
}

function Sessions() {
  const { data, error } = useQuery(callQuery('SessionList', {}));
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
            End other sessions
          </Button>
        )}
      </Group>
      {(error ?? end.error) && <ErrorNote error={(error ?? end.error) as Error} />}
      <Table.ScrollContainer minWidth={320} type="native" className="panel" pos="relative">
        <Table aria-label="Sessions" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th visibleFrom="sm">IP address</Table.Th>
              <Table.Th visibleFrom="sm">Signed in</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
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
                      this session
                    </Badge>
                  ) : (
                    <Button size="compact-sm" variant="default" onClick={() => end.mutate({ session_id })}>
                      End session
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

/** Such as "Firefox on Windows"; the User-Agent header if it is not recognised. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return 'unknown';
  const nameIn = (known: [RegExp, string][]) => known.find(([form]) => form.test(userAgent))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 60);
}
