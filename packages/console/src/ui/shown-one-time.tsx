import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { LeaveDialog, useHeld, useLeaving } from './leaving.tsx';

interface ShownOneTimeProps {
  title: string;
  /** The name that screen readers announce. */
  label: string;
  value: string;
  /** Who needs it, and what else to do. */
  children: ReactNode;
  onDone(): void;
}

/** Asks before the user leaves without confirming that they saved it. */
export function useKeeping(onDone: () => void) {
  const isSaved = useRef(false);
  useHeld(true);
  const leaving = useLeaving({ isHere: true, asks: () => !isSaved.current });
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
export function ShownOneTime({ title, label, value, children, onDone }: ShownOneTimeProps) {
  const { question, done } = useKeeping(onDone);
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
