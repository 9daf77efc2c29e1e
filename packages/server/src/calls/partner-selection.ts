/** Amounts of real partners and of sandboxes are never added together; `all` is for partners given by id. */
export type SandboxFilter = 'all' | 'real' | 'sandboxes';

/** The partners of a report or a list. */
export interface PartnerSelection {
  /** Null for every partner. */
  partners: number[] | null;
  among: SandboxFilter;
}
