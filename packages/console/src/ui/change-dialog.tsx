import {
  Alert,
  Button,
  type ButtonProps,
  Group,
  List,
  Modal,
  Stack,
  Text,
  Textarea,
  type TextareaProps,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { isNotSignedIn, needsConfirmation } from '../api/call.ts';
import { ErrorNote } from './error-note.tsx';
import { LeaveDialog, useLeaveGuard, useUnsavedWork } from './leave-guard.tsx';

// The dialog of every change: it shows the consequences and asks for a reason. The button that makes the change never
// has the initial focus. Closing can't undo a request in progress, so the dialog stays open until the response. Neither
// a click outside nor the browser's Back button discards what was typed.

interface ChangeDialogProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** The label of the button that makes the change, such as "Stop campaign". */
  action: string;
  /** The label of the button that closes the dialog without a change. */
  keep?: string;
  isDangerous?: boolean;
  size?: 'md' | 'lg';
  /** The consequences are not known yet, or the change is not possible. */
  isBlocked?: boolean;
  /** The target changed after the dialog opened. The user must read it again first. */
  isOutdated?: boolean;
  /** `onClose` aborts the request in progress. */
  isStoppable?: boolean;
  /** Set if the screen has its own leave guard: whether its question is open above this dialog and takes Escape. */
  isCovered?: boolean;
  onConfirm(reason: string): Promise<unknown>;
}

const [shortest, longest] = [3, 500];

/** The service stores the reason as one line: line breaks and control characters become spaces. */
const inOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Removing a closed dialog drops the focus, so this gives it back to the element that had it before. */
function useFocusBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
}

interface LeaveQuestionProps {
  leaving: ReturnType<typeof useLeaveGuard>;
  isUnderWay: boolean;
  /** The title of the question while no request is in progress. */
  title?: string;
}

export const LeaveQuestion = ({ leaving, isUnderWay, title = 'Discard your entries?' }: LeaveQuestionProps) => (
  <LeaveDialog leaving={leaving} title={isUnderWay ? 'Change in progress' : title}>
    {isUnderWay
      ? 'Leaving does not cancel the change, and you would not see its result.'
      : 'What you typed here will be lost.'}
  </LeaveDialog>
);

/** Whether the user touched the dialog. Reset on each opening, because the click that closes it counts as a touch. */
function useTouched(isOpen: boolean) {
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (isOpen) setTouched(false);
  }, [isOpen]);
  return { isTouched, touch: () => setTouched(true) };
}

/** Sends one request at a time, even on a double click. */
function useSending(work: () => Promise<unknown>, onSuccess: () => void) {
  const isSent = useRef(false);
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: work,
    onSuccess,
    onSettled: () => {
      isSent.current = false;
    },
  });
  const send = () => {
    if (isSent.current) return;
    isSent.current = true;
    mutate();
  };
  return { send, reset, isPending, error };
}

export function ChangeDialog(props: ChangeDialogProps) {
  const { isOpen, onClose, title, children, size = 'md', onConfirm } = props;
  const { isBlocked = false, isOutdated = false, isStoppable = false, isCovered } = props;
  const form = useForm({ initialValues: { reason: '' } });
  const { isTouched, touch } = useTouched(isOpen);
  const reason = inOneLine(form.values.reason);
  const formId = useId();
  useFocusBack(isOpen);
  useUnsavedWork(isOpen);
  const change = useSending(
    () => onConfirm(reason),
    () => close(),
  );
  const close = () => {
    form.reset();
    change.reset();
    onClose();
  };
  const isUnderWay = change.isPending && !isStoppable;
  const isActive = isOpen && isCovered === undefined;
  const leaving = useLeaveGuard({ isActive, shouldAsk: () => isTouched || isUnderWay, isBackOnly: true });
  const isLeaving = leaving.status === 'blocked';
  const isRequested = needsConfirmation(change.error);
  const isReady = reason.length >= shortest && !isBlocked && !isOutdated;
  return (
    <Modal
      {...{ opened: isOpen, onClose: close, title, size }}
      closeOnClickOutside={false}
      closeOnEscape={!isUnderWay && !isCovered && !isLeaving}
      withCloseButton={!isUnderWay}
      centered
      classNames={{ content: 'name' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <form
        id={formId}
        // Choosing from a dropdown fires no change event on the form.
        {...{ onChange: touch, onClick: touch, onKeyDown: touch }}
        onSubmit={form.onSubmit(() => {
          if (isReady) change.send();
        })}
      >
        <Stack gap="md">
          {!isRequested && (
            <>
              {children}
              <ReasonField {...form.getInputProps('reason')} />
            </>
          )}
          {isOutdated && !change.isPending && (
            <Alert color="orange" variant="light" title="This changed while you had it open" role="alert">
              Close this dialog and check the current values.
            </Alert>
          )}
          {change.error && !isRequested && !isNotSignedIn(change.error) && <ErrorNote error={change.error} />}
          {isRequested ? (
            <Requested onClose={close} />
          ) : (
            <Buttons {...props} {...{ isReady, isUnderWay, close }} isPending={change.isPending} />
          )}
        </Stack>
      </form>
      <LeaveQuestion leaving={leaving} isUnderWay={isUnderWay} />
    </Modal>
  );
}

const ReasonField = (input: TextareaProps) => (
  <Textarea
    {...input}
    label="Reason"
    description="Kept in the audit log, with your name."
    maxLength={longest}
    autosize
    minRows={2}
    required
    data-autofocus
  />
);

const Requested = ({ onClose }: { onClose(): void }) => (
  <>
    <Alert variant="light" title="Another admin must confirm this" role="status">
      Nothing has changed yet. Your request is under Approvals. After another admin confirms it, apply it there.
    </Alert>
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose} data-autofocus>
        OK
      </Button>
    </Group>
  </>
);

interface ButtonsProps extends Pick<ChangeDialogProps, 'action' | 'keep' | 'isDangerous'> {
  isReady: boolean;
  isPending: boolean;
  isUnderWay: boolean;
  close(): void;
}

const Buttons = ({ action, keep = 'Cancel', isDangerous, isReady, isPending, isUnderWay, close }: ButtonsProps) => (
  <Group justify="flex-end">
    <Text size="sm" c="dimmed" role="status">
      {isUnderWay && 'In progress…'}
    </Text>
    <Button variant="default" onClick={close} disabled={isUnderWay}>
      {keep}
    </Button>
    <Button type="submit" color={isDangerous ? 'red' : undefined} loading={isPending} disabled={!isReady}>
      {action}
    </Button>
  </Group>
);

interface DialogButtonProps extends ButtonProps {
  label: string;
  /** Rendered only while open, so that it starts empty each time. */
  dialog(close: () => void): ReactNode;
}

/** A button that opens a dialog and gets the focus back when the dialog closes. */
export function DialogButton({ label, dialog, ...button }: DialogButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    setIsOpen(false);
    element.current?.focus();
  };
  return (
    <>
      <Button ref={element} variant="default" size="xs" {...button} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && dialog(close)}
    </>
  );
}

/** The consequences of a change, one sentence each. Sentences that do not apply are false. */
export function Consequences({ sentences }: { sentences: (string | false)[] }) {
  const said = sentences.filter((each) => each !== false);
  if (said.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No changes yet.
      </Text>
    );
  }
  return (
    <List size="sm" aria-label="What will happen" spacing={4}>
      {said.map((each) => (
        <List.Item key={each}>{each}</List.Item>
      ))}
    </List>
  );
}
