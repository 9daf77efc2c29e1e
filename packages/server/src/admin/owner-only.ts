import { fchmodSync, fstatSync } from 'node:fs';

// Files with data of players or secrets are readable by their owner only, under any umask, and also if the file
// existed with a wider mode.

export const ownerOnly = 0o600;

/**
 * Sets the mode of an open file. Devices and pipes stay as they are, and so does another user's file, whose mode only
 * that user can change.
 */
export function restrictToOwner(fd: number): void {
  if (!fstatSync(fd).isFile()) return;
  try {
    fchmodSync(fd, ownerOnly);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
