/** All of them, if they are named; otherwise real partners or sandboxes, whose money is never added to that of real ones. */
export type Among = 'all' | 'real' | 'sandboxes';

/** The partners that a report or a list is about. */
export interface Chosen {
  /** Null for all of them. */
  partners: number[] | null;
  among: Among;
}
