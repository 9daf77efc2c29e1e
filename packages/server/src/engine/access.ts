// A batch locks what its commands may change. A dry run reads the same rows without locks.

export type Access = 'lock' | 'read';

/**
 * One statement per kind of access. Their names must differ, because a connection caches prepared statements by name.
 */
export const inAccess = <T>(make: (access: Access, locking: string) => T): Record<Access, T> => ({
  lock: make('lock', 'FOR UPDATE'),
  read: make('read', ''),
});
