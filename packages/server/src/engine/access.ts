// What a lane is about to change it locks; what is only to be decided, and not carried out, is read by the same statements
// without a lock.

export type Access = 'lock' | 'read';

/** A statement for each; its name begins with the access, since a connection knows a statement by its name. */
export const inAccess = <T>(make: (access: Access, locking: string) => T): Record<Access, T> => ({
  lock: make('lock', 'FOR UPDATE'),
  read: make('read', ''),
});
