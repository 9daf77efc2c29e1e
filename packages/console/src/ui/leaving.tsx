import { Button, Group, getDefaultZIndex, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { asksBeforeUnload } from '../api/call.ts';

// What somebody would lose with the screen: a list that is being prepared, a dialog that is being filled in, a secret that nobody sees
// again. A session that ends takes none of it (features/shell/session-end.ts).

let holding = 0;

export const isAnythingHeld = (): boolean => holding > 0;

export function useHeld(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return;
    holding += 1;
    return () => {
      holding -= 1;
    };
  }, [isHeld]);
}

interface Asked {
  /** Whether there is anything that may be lost. */
  isHere: boolean;
  /** Where that alone does not tell: whether it would be, by leaving at this moment. */
  asks?(): boolean;
  /** Where links lie behind it: only the way back or forward leads away, beside what it does itself. */
  isBackOnly?: boolean;
}

/** Holds whoever leaves for another screen until they have answered, with a LeaveDialog. */
export function useLeaving({ isHere, asks = () => isHere, isBackOnly = false }: Asked) {
  const latest = useRef<{ proceed?: (() => void) | undefined; reset?: (() => void) | undefined }>({});
  const leaving = useBlocker({
    shouldBlockFn: ({ action, current, next }) => {
      if (current.pathname === next.pathname) {
        // Back and then forward again: they have answered.
        latest.current.proceed?.();
        return false;
      }
      return asks() && !(isBackOnly && (action === 'PUSH' || action === 'REPLACE'));
    },
    enableBeforeUnload: () => !isBackOnly && asksBeforeUnload(asks()),
    disabled: !isHere,
    withResolver: true,
  });
  latest.current = leaving;
  // Whoever has not answered when there is nothing left to lose stays, and sees what came of it.
  useEffect(() => (isHere ? () => latest.current.reset?.() : undefined), [isHere]);
  return leaving;
}

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
