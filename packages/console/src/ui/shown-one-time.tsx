import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeld } from './held.ts';

interface ShownOneTimeProps {
  title: string;
  /** What it is, for those who hear it. */
  label: string;
  value: string;
  /** To whom it goes, and what else is to be done. */
  children: ReactNode;
  onDone(): void;
}

/** A secret or a link that nobody sees again: only the button closes it, never a slip. */
export function ShownOneTime({ title, label, value, children, onDone }: ShownOneTimeProps) {
  useHeld(true);
  return (
    <Modal
      opened
      onClose={onDone}
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
          <Button onClick={onDone}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
