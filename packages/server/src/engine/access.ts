// A batch locks the rows that its commands may change. A dry run reads them with the same statements, without locks.

export type Access = 'lock' | 'read';

/**
 * One statement per kind of access. Their names must differ, because a connection caches prepared statements by name.
 */
export const inAccess = <T>(make: (access: Access, locking: string) => T): Record<Access, T> => ({
  lock: make('lock', 'FOR UPDATE'),
  read: make('read', ''),
});
