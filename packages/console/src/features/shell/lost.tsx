import { Anchor, Container } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Empty } from '../../ui/empty.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

export const NotFound = () => (
  <Container py="xl">
    <Empty title="There is no such page">
      <Anchor component={Link} to="/">
        Go to the overview
      </Anchor>
    </Empty>
  </Container>
);

export const Crashed = ({ error }: ErrorComponentProps) => (
  <Container py="xl">
    <RefusalNote error={error instanceof Error ? error : new Error(String(error))} onRetry={() => location.reload()} />
  </Container>
);
