import { SimpleGrid } from '@mantine/core';
import { usePerson } from '../../api/session.ts';
import { Details } from '../../ui/details.tsx';
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
