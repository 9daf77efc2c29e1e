import { Anchor, type AnchorProps, Group, Image, Stack, Text, Title } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, type ReactNode, useEffect, useRef } from 'react';
import { basePath } from '../api/call.ts';

interface PageProps {
  title: string;
  /** Next to the title, such as a status. */
  mark?: ReactNode;
  /** One line below it. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

let shownPath: string | undefined;
let hasMoved = false;

/** After navigation the followed link is gone, and the focus with it, so the new heading gets the focus. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    hasMoved ||= shownPath !== undefined && shownPath !== location.pathname;
    shownPath = location.pathname;
    if (hasMoved && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

export function Page({ title, mark, about, actions, children }: PageProps) {
  const heading = useHeadingFocus();
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

interface DetailsProps {
  title: string;
  actions?: ReactNode;
  /** Name and value. */
  rows?: [string, ReactNode][];
  /** The anchor for links with a hash. */
  id?: string;
  children?: ReactNode;
}

/** A panel with name–value rows and actions. */
export const Details = ({ title, actions, rows = [], id, children }: DetailsProps) => (
  <Stack component="section" aria-label={title} id={id} className="panel" p="md" gap="sm">
    <Group justify="space-between" gap="xs" mih={30}>
      <Title order={2}>{title}</Title>
      <Group gap="xs">{actions}</Group>
    </Group>
    {rows.length > 0 && (
      <dl className="details">
        {rows.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm">
              {value}
            </Text>
          </div>
        ))}
      </dl>
    )}
    {children}
  </Stack>
);

/** An empty state: what would be here, and what to do first. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Stack align="center" gap="xs" py="xl" px="md" className="panel">
    <Text fw={600} ta="center" className="name">
      {title}
    </Text>
    {children && (
      <Text c="dimmed" size="sm" ta="center" component="div">
        {children}
      </Text>
    )}
  </Stack>
);

interface NameProps {
  children: string;
  /** At most two lines; the full text on hover. */
  isShort?: boolean;
}

/** Text that users typed, of any length and script: it wraps, and its writing direction stays isolated. */
export const Name = ({ children, isShort = false }: NameProps) => (
  <bdi className={isShort ? 'name name-short' : 'name'} title={isShort ? children : undefined}>
    {children}
  </bdi>
);

type Attributes = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

/** A link to a screen, with the filters in its address. */
export const AnchorLink = createLink((props: Attributes) => <Anchor {...props} />);

export const Brand = ({ size = 26 }: { size?: number }) => (
  <Group gap="xs" wrap="nowrap">
    <Image src={`${basePath}/icon.svg`} alt="" w={size} h={size} />
    <Text span fw={700} fz={size > 30 ? 24 : 16}>
      Freebets
    </Text>
  </Group>
);
