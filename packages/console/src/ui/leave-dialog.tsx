import { Button, Group, getDefaultZIndex, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface LeaveDialogProps {
  /** As the router has it, while somebody is on their way to another screen. */
  leaving: { status: 'blocked' | 'idle'; proceed?: (() => void) | undefined; reset?: (() => void) | undefined };
  title: string;
  /** What becomes of what is here. */
  children: ReactNode;
}

/** Asks whoever leaves a screen that holds something of theirs; also before a dialog of that screen. */
export const LeaveDialog = ({ leaving, title, children }: LeaveDialogProps) => (
  <Modal
    opened={leaving.status === 'blocked'}
    onClose={() => leaving.reset?.()}
    // Later than a dialog below would see it, which is not to take it for itself.
    closeOnEscape={false}
    onKeyDown={(event) => event.key === 'Escape' && leaving.reset?.()}
    title={title}
    zIndex={getDefaultZIndex('modal') + 1}
    centered
  >
    <Text size="sm">{children}</Text>
    <Group justify="flex-end" mt="md">
      <Button onClick={() => leaving.reset?.()} data-autofocus>
        Stay
      </Button>
      <Button variant="default" onClick={() => leaving.proceed?.()}>
        Leave
      </Button>
    </Group>
  </Modal>
);
