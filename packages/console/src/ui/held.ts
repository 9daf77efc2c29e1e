import { useEffect } from 'react';

// What somebody would lose with the screen: a list that is being prepared, a dialog that is being filled in, a secret that nobody sees
// again. A session that ends takes none of it (features/shell/session-end.ts).

let holding = 0;

export const isAnythingHeld = (): boolean => holding > 0;

export function useHeld(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return;
    holding += 1;
    return () => {
      holding -= 1;
    };
  }, [isHeld]);
}
