import type { Person } from '@freebets/contract';
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { actAs, basePath } from '../../api/call.ts';
import { sessionQuery } from '../../api/session.ts';
import { Brand } from '../../ui/page.tsx';

interface DoorProps {
  title: string;
  about?: ReactNode;
  /** Below the panel. */
  beside?: ReactNode;
  children: ReactNode;
}

/** What somebody sees who is not inside yet. */
export function Door({ title, about, beside, children }: DoorProps) {
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
        {beside}
      </Stack>
    </Center>
  );
}

/** A page of the console itself: an address that somebody else wrote leads nowhere else. */
const isOwn = (to: string): boolean => to === basePath || to.startsWith(`${basePath}/`);

/** Where somebody wanted to go. */
export const wayOn = (to: string | undefined): string => (to !== undefined && isOwn(to) ? to : `${basePath}/`);

/** Somebody has signed in: nothing that was read before is kept, and they come to where they wanted. */
export function useEntering(to: string | undefined): (person: Person) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (person) => {
    actAs(person.staff_id);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, person);
    // The way back leads past the sign-in.
    router.history.replace(wayOn(to));
  };
}
