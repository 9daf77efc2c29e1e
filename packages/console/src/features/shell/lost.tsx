import { Anchor, Container, Text } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, mayPass } from '../../api/call.ts';
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

const notLoaded = {
  name: 'Not loaded',
  message: 'This screen could not be loaded: the server cannot be reached, or has a new version.',
};

// The router would load the page again at once. While no server answers, that leaves the console for an error page of the browser:
// under another name the error comes to the screen below.
addEventListener('vite:preloadError', ({ payload }) => Object.assign(payload, notLoaded));

/** A page that is not older has the version of the server: to load it again by itself would go on for ever. */
const freshMs = 10_000;
const pauseMs = 2_000;

/** Any answer of the server will do, also that nobody is signed in. */
async function loadAgain(signal?: AbortSignal): Promise<void> {
  const error = await call('SessionGet', {}, signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!mayPass(error) && !signal?.aborted) location.reload();
}

/** Whatever broke a screen. The page is loaded again when the server answers: by itself, where that is what was missing. */
export function Crashed({ error }: ErrorComponentProps) {
  useEffect(() => {
    const isNotLoaded = error instanceof Error && error.name === notLoaded.name && performance.now() > freshMs;
    if (!mayPass(error) && !isNotLoaded) return;
    const leaving = new AbortController();
    const timer = setInterval(() => loadAgain(leaving.signal).catch(reportError), pauseMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [error]);
  return (
    <Container py="xl">
      <RefusalNote
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => loadAgain().catch(reportError)}
      />
    </Container>
  );
}
