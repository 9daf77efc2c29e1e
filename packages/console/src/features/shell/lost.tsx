import { Anchor, Container, Text } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

export const NotFound = () => (
  <Page title="There is no such page">
    <Text>
      The address may have been cut off.{' '}
      <Anchor component={Link} to="/" underline="always">
        Go to the overview
      </Anchor>
    </Text>
  </Page>
);

export const Crashed = ({ error }: ErrorComponentProps) => (
  <Container py="xl">
    <RefusalNote error={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
  </Container>
);
