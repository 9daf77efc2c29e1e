import { Button, Group, getDefaultZIndex, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { asksBeforeUnload } from '../api/call.ts';

// Unsaved work on a screen: a bulk award in preparation, a dialog being filled in, a secret that is shown only once. It
// survives the end of a session (features/shell/session-end.tsx).

let unsavedCount = 0;

export const hasUnsavedWork = (): boolean => unsavedCount > 0;

export function useUnsavedWork(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    unsavedCount += 1;
    return () => {
      unsavedCount -= 1;
    };
  }, [isUnsaved]);
}

interface LeaveGuardOptions {
  /** Whether anything can be lost. */
  isActive: boolean;
  /** Decides at the moment of leaving, if `isActive` alone is not enough. */
  shouldAsk?(): boolean;
  /** For dialogs that cover all links: guards only Back and Forward. */
  isBackOnly?: boolean;
}

/** Blocks leaving the screen until the user answers the LeaveDialog. */
export function useLeaveGuard({ isActive, shouldAsk = () => isActive, isBackOnly = false }: LeaveGuardOptions) {
  const latest = useRef<{ proceed?: (() => void) | undefined; reset?: (() => void) | undefined }>({});
  const leaving = useBlocker({
    shouldBlockFn: ({ action, current, next }) => {
      if (current.pathname === next.pathname) {
        // Back and then Forward again counts as an answer.
        latest.current.proceed?.();
        return false;
      }
      return shouldAsk() && !(isBackOnly && (action === 'PUSH' || action === 'REPLACE'));
    },
    enableBeforeUnload: () => !isBackOnly && asksBeforeUnload(shouldAsk()),
    disabled: !isActive,
    withResolver: true,
  });
  latest.current = leaving;
  // If nothing is left to lose while the question is open, the user stays and sees the result.
  useEffect(() => (isActive ? () => latest.current.reset?.() : undefined), [isActive]);
  return leaving;
}

interface LeaveDialogProps {
  /** The router's blocker. */
  leaving: { status: 'blocked' | 'idle'; proceed?: (() => void) | undefined; reset?: (() => void) | undefined };
  title: string;
  /** What would be lost. */
  children: ReactNode;
}

/** Asks before the user leaves a screen with unsaved work. Shown above the dialogs of the screen. */
export const LeaveDialog = ({ leaving, title, children }: LeaveDialogProps) => (
  <Modal
    opened={leaving.status === 'blocked'}
    onClose={() => leaving.reset?.()}
    // Handled here, so that Escape does not also close the dialog below.
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
