import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface PageProps {
  title: string;
  /** Beside the title, such as a status. */
  mark?: ReactNode;
  /** One line below it. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

let shownPath: string | undefined;
let hasMoved = false;

/** A link that was followed is gone with its screen, and the focus with it: it goes to the heading, which says where one is now. */
function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    hasMoved ||= shownPath !== undefined && shownPath !== location.pathname;
    shownPath = location.pathname;
    if (hasMoved && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

export function Page({ title, mark, about, actions, children }: PageProps) {
  const heading = useArrival();
  useEffect(() => {
    document.title = `${title} · Freebets`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Group gap="sm">
            <Title order={1} ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {mark}
          </Group>
          {about && (
            <Text c="dimmed" size="sm" component="div">
              {about}
            </Text>
          )}
        </div>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </Stack>
  );
}
