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
import { LeaveDialog, useHeld, useLeaving } from './leaving.tsx';
import { RefusalNote } from './refusal.tsx';

// Everything that changes something is asked for here: it says first what will happen, in figures where there are any, and
// asks for the reason. The button that does it is never the one that has the focus. What is under way is not taken back by closing
// it, so it stays until there is an answer; and neither a click beside it nor the way back throws away what was typed.

interface ChangeDialogProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** What the button says, such as "Stop the campaign". */
  action: string;
  /** What the button says that leaves everything as it is. */
  keep?: string;
  isDangerous?: boolean;
  size?: 'md' | 'lg';
  /** While what will happen is not known yet, or cannot be done. */
  isBlocked?: boolean;
  /** Where what it is about is not what it was when the dialog was opened: nobody changes what they have not read. */
  isOutdated?: boolean;
  /** Where `onClose` ends what is under way. */
  isStoppable?: boolean;
  /** Where its screen asks whoever leaves: whether that question lies above it, so that Escape is for that one. */
  isCovered?: boolean;
  carryOut(reason: string): Promise<unknown>;
}

const [shortest, longest] = [3, 500];

/** It is kept as one line: where it has several, or what a table was pasted with, blanks stand instead. */
const inOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

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

interface LeaveQuestionProps {
  leaving: ReturnType<typeof useLeaving>;
  isUnderWay: boolean;
  /** What is said of what has not begun. */
  title?: string;
}

export const LeaveQuestion = ({ leaving, isUnderWay, title = 'Not done' }: LeaveQuestionProps) => (
  <LeaveDialog leaving={leaving} title={isUnderWay ? 'Under way' : title}>
    {isUnderWay
      ? 'What is under way is not taken back, and you would not see what came of it.'
      : 'What you typed here is not kept.'}
  </LeaveDialog>
);

/** Since it was opened: the click that closes it touches it too. */
function useTouched(isOpen: boolean) {
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (isOpen) setTouched(false);
  }, [isOpen]);
  return { isTouched, touch: () => setTouched(true) };
}

/** One at a time, also where a second click follows at once. */
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
  const { isOpen, onClose, title, children, size = 'md', carryOut } = props;
  const { isBlocked = false, isOutdated = false, isStoppable = false, isCovered } = props;
  const form = useForm({ initialValues: { reason: '' } });
  const { isTouched, touch } = useTouched(isOpen);
  const reason = inOneLine(form.values.reason);
  const formId = useId();
  useFocusBack(isOpen);
  useHeld(isOpen);
  const change = useSending(
    () => carryOut(reason),
    () => close(),
  );
  const close = () => {
    form.reset();
    change.reset();
    onClose();
  };
  const isUnderWay = change.isPending && !isStoppable;
  const isHere = isOpen && isCovered === undefined;
  const leaving = useLeaving({ isHere, asks: () => isTouched || isUnderWay, isBackOnly: true });
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
        // What is chosen from a list is no change of a field.
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
            <Alert color="orange" variant="light" title="It has changed since you opened it" role="alert">
              Close this, and read it as it is now.
            </Alert>
          )}
          {change.error && !isRequested && !isNotSignedIn(change.error) && <RefusalNote error={change.error} />}
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
      Nothing has changed yet. Your request is under Approvals: carry it out there once another admin has confirmed it.
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
      {isUnderWay && 'It is under way…'}
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
  /** Made anew each time it is opened, so that nothing is left in it of the time before. */
  dialog(close: () => void): ReactNode;
}

/** A button that opens a dialog, and has the focus again when that is closed. */
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

/** What a change will do, sentence by sentence; what does not apply is false. */
export function WhatHappens({ sentences }: { sentences: (string | false)[] }) {
  const said = sentences.filter((each) => each !== false);
  if (said.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing is changed yet.
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
