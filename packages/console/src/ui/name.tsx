interface NameProps {
  children: string;
  /** On two lines at most; the whole of it on hover. */
  isShort?: boolean;
}

/** What somebody wrote: of any length and in any script, it stays where it belongs. */
export const Name = ({ children, isShort = false }: NameProps) => (
  <bdi className={isShort ? 'name name-short' : 'name'} title={isShort ? children : undefined}>
    {children}
  </bdi>
);
