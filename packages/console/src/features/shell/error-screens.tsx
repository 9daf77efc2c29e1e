import { Anchor, Container, Text } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, isTransient } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Page } from '../../ui/page.tsx';

export const NotFound = () => (
  <Page title="Page not found">
    <Text>
      The address may be incomplete.{' '}
      <Anchor component={Link} to="/" underline="always">
        Go to overview
      </Anchor>
    </Text>
  </Page>
);

const notLoaded = {
  name: 'Not loaded',
  message: 'This screen could not be loaded. The server is unreachable or was updated.',
};

// The router would reload the page at once, which shows the browser's error page while the server is down. With a
// different name the error reaches the screen below instead.
addEventListener('vite:preloadError', ({ payload }) => Object.assign(payload, notLoaded));

/** A younger page has the server's current version. Reloading it automatically would never end. */
const freshMs = 10_000;
const pauseMs = 2_000;

/** Reloads as soon as the server responds at all, even with "not signed in". */
async function reloadWhenReachable(signal?: AbortSignal): Promise<void> {
  const error = await call('SessionGet', {}, signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isTransient(error) && !signal?.aborted) location.reload();
}

/** The error screen. If the server was unreachable, it reloads the page as soon as the server responds. */
export function Crashed({ error }: ErrorComponentProps) {
  useEffect(() => {
    const isNotLoaded = error instanceof Error && error.name === notLoaded.name && performance.now() > freshMs;
    if (!isTransient(error) && !isNotLoaded) return;
    const leaving = new AbortController();
    const timer = setInterval(() => reloadWhenReachable(leaving.signal).catch(reportError), pauseMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [error]);
  return (
    <Container py="xl">
      <ErrorNote
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => reloadWhenReachable().catch(reportError)}
      />
    </Container>
  );
}
