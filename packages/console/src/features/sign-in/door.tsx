import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Brand } from '../../ui/brand.tsx';

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
