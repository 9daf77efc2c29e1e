import { Alert, Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { RefusalNote } from './refusal.tsx';

// Everything that changes something is asked for here: it says first what will happen, in figures where there are any, and
// asks for the reason. The button that does it is never the one that has the focus.

interface ChangeDialogProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** What the button says, such as "Stop the campaign". */
  action: string;
  isDangerous?: boolean;
  size?: 'md' | 'lg';
  /** While what will happen is not known yet, or cannot be done. */
  isBlocked?: boolean;
  /** Where what it is about is not what it was when the dialog was opened: nobody changes what they have not read. */
  isOutdated?: boolean;
  carryOut(reason: string): Promise<unknown>;
}

const [shortest, longest] = [3, 500];

/** One that is removed when it is closed takes the focus with it: whatever had it before gets it back. */
function useFocusBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
}

export function ChangeDialog(props: ChangeDialogProps) {
  const {
    isOpen,
    onClose,
    title,
    children,
    action,
    isDangerous = false,
    isBlocked = false,
    isOutdated = false,
    size = 'md',
    carryOut,
  } = props;
  const [reason, setReason] = useState('');
  const formId = useId();
  useFocusBack(isOpen);
  const change = useMutation({ mutationFn: () => carryOut(reason.trim()), onSuccess: () => close() });
  const close = () => {
    setReason('');
    change.reset();
    onClose();
  };
  const isReady = reason.trim().length >= shortest && !isBlocked && !isOutdated;
  return (
    <Modal
      {...{ opened: isOpen, onClose: close, title, size }}
      centered
      classNames={{ content: 'name' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !change.isPending) change.mutate();
        }}
      >
        <Stack gap="md">
          {children}
          <Textarea
            label="Reason"
            description="Kept in the audit log, with your name."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={longest}
            autosize
            minRows={2}
            required
            data-autofocus
          />
          {isOutdated && !change.isPending && (
            <Alert color="orange" variant="light" title="It has changed since you opened it" role="alert">
              Close this, and read it as it is now.
            </Alert>
          )}
          {change.error && <RefusalNote error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={isDangerous ? 'red' : undefined}
              loading={change.isPending}
              disabled={!isReady}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
