import type { Person } from '@freebets/contract';
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { basePath, setSignedInAs } from '../../api/call.ts';
import { sessionQuery } from '../../api/session.ts';
import { Brand } from '../../ui/page.tsx';

interface SignInFrameProps {
  title: string;
  about?: ReactNode;
  /** Shown below the panel. */
  below?: ReactNode;
  children: ReactNode;
}

/** The frame of all screens before the sign-in is complete. */
export function SignInFrame({ title, about, below, children }: SignInFrameProps) {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Freebets`;
    return () => {
      document.title = before;
    };
  }, [title]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w={420} maw="100%" gap="lg">
        <Center>
          <Brand size={36} />
        </Center>
        <Paper withBorder p="lg">
          <Stack>
            <div>
              <Title order={1}>{title}</Title>
              {about && (
                <Text c="dimmed" size="sm" component="div">
                  {about}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
        {below}
      </Stack>
    </Center>
  );
}

/** Whether a path belongs to the console: a crafted link must not redirect to another site. */
const isOwn = (to: string): boolean => to === basePath || to.startsWith(`${basePath}/`);

/** The path to open after the sign-in. */
export const returnPath = (to: string | undefined): string => (to !== undefined && isOwn(to) ? to : `${basePath}/`);

/** After a sign-in: drops all cached data and opens the requested screen. */
export function useAfterSignIn(to: string | undefined): (person: Person) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (person) => {
    setSignedInAs(person.staff_id);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, person);
    // Replaces the sign-in in the history, so that Back skips it.
    router.history.replace(returnPath(to));
  };
}
