import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { LeaveDialog, useLeaveGuard, useUnsavedWork } from './leave-guard.tsx';

interface ShownOnceProps {
  title: string;
  /** The name that screen readers announce. */
  label: string;
  value: string;
  /** Who needs it, and what else to do. */
  children: ReactNode;
  onDone(): void;
}

/** Asks before the user leaves without confirming that they saved it. */
export function useSavedConfirmation(onDone: () => void) {
  const isSaved = useRef(false);
  useUnsavedWork(true);
  const leaving = useLeaveGuard({ isActive: true, shouldAsk: () => !isSaved.current });
  const question = (
    <LeaveDialog leaving={leaving} title="Leave without saving it?">
      This is shown only once. If you leave now, you can't see it again.
    </LeaveDialog>
  );
  const done = () => {
    isSaved.current = true;
    onDone();
  };
  return { question, done };
}

/** A secret or link that is shown only once. Only the button closes it, not Escape or a click outside. */
export function ShownOnce({ title, label, value, children, onDone }: ShownOnceProps) {
  const { question, done } = useSavedConfirmation(onDone);
  return (
    <Modal
      opened
      onClose={done}
      title={title}
      centered
      withCloseButton={false}
      attributes={{ header: { role: 'presentation' } }}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" title="Shown only once" variant="light">
          {children}
        </Alert>
        <Code block role="textbox" aria-readonly aria-label={label} tabIndex={0} className="whole-word">
          {value}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} data-autofocus>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={done}>I have saved it</Button>
        </Group>
      </Stack>
      {question}
    </Modal>
  );
}
