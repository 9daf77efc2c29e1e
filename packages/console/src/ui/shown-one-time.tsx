import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { LeaveDialog, useHeld, useLeaving } from './leaving.tsx';

interface ShownOneTimeProps {
  title: string;
  /** What it is, for those who hear it. */
  label: string;
  value: string;
  /** To whom it goes, and what else is to be done. */
  children: ReactNode;
  onDone(): void;
}

/** Whoever leaves before they say that they have kept it is asked. */
export function useKeeping(onDone: () => void) {
  const isKept = useRef(false);
  useHeld(true);
  const leaving = useLeaving({ isHere: true, asks: () => !isKept.current });
  const question = (
    <LeaveDialog leaving={leaving} title="Not kept">
      What is shown here is shown this one time: whoever leaves does not see it again.
    </LeaveDialog>
  );
  const done = () => {
    isKept.current = true;
    onDone();
  };
  return { question, done };
}

/** A secret or a link that nobody sees again: only the button closes it, never a slip. */
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
        <Alert color="yellow" title="Shown this one time" variant="light">
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
          <Button onClick={done}>I have kept it</Button>
        </Group>
      </Stack>
      {question}
    </Modal>
  );
}
