import { Paper, SegmentedControl, SimpleGrid, Stack, Text, Title, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePerson } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { PasswordChange } from './password-change.tsx';
import { OwnSecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** What people may change about themselves. */
export function Account() {
  const { name, email, role, partners } = usePerson();
  const scope =
    partners === null ? 'all partners' : `${partners.length === 1 ? 'partner' : 'partners'} ${partners.join(', ')}`;
  return (
    <Page title="Your account" about={`${name} · ${email} · ${role} of ${scope}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Part title="Password">
          <PasswordChange />
        </Part>
        <Stack>
          <Part title="Second factor">
            <OwnSecondFactor />
          </Part>
          <Part title="Colours">
            <Colours />
          </Part>
        </Stack>
      </SimpleGrid>
      <Sessions />
    </Page>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper withBorder p="md" component="section" aria-label={title}>
    <Stack>
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  </Paper>
);

function Colours() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div>
      <SegmentedControl
        aria-label="Colours"
        data={[
          { value: 'auto', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
      />
      <Text size="xs" c="dimmed" mt={4}>
        Kept in this browser.
      </Text>
    </div>
  );
}
