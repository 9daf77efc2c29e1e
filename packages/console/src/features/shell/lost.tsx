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
async function loadAgain(): Promise<void> {
  const error = await call('SessionGet', {}).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!mayPass(error)) location.reload();
}

/** Whatever broke a screen. The page is loaded again when the server answers: by itself, where that is what was missing. */
export function Crashed({ error }: ErrorComponentProps) {
  const isMissing = mayPass(error) || (error instanceof Error && error.name === notLoaded.name);
  useEffect(() => {
    if (!isMissing || performance.now() < freshMs) return;
    const timer = setInterval(() => void loadAgain(), pauseMs);
    return () => clearInterval(timer);
  }, [isMissing]);
  return (
    <Container py="xl">
      <RefusalNote error={error instanceof Error ? error : new Error(String(error))} onRetry={() => void loadAgain()} />
    </Container>
  );
}
