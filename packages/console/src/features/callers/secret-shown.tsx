import type { ReactNode } from 'react';
import { ShownOneTime } from '../../ui/shown-one-time.tsx';

interface SecretShownProps {
  name: string;
  secret: string;
  children?: ReactNode;
  onDone(): void;
}

export const SecretShown = ({ name, secret, children, onDone }: SecretShownProps) => (
  <ShownOneTime title={`The secret of ${name}`} label="Secret" value={secret} onDone={onDone}>
    Copy it and hand it over by a safe way: whoever has it can call as {name}. It is kept sealed, and nobody can read it
    again. {children}
  </ShownOneTime>
);
