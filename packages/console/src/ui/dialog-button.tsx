import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';

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
