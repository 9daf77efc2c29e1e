/** The games offered to one partner, as far as the rules ask about them. */
export interface OfferedGame {
  providerId: string;
  freeBets: boolean;
  currencies: ReadonlySet<string>;
}

export type Offer = ReadonlyMap<string, OfferedGame>;

/** What the rules ask of the partner beside its own rows. */
export interface PartnerProfile {
  offer: Offer;
  stakeReturned: boolean;
  /**
   * Its time is that of a clock of its own. Nobody becomes one, or ceases to be one. One that a server has not heard of yet, a second or two after it was
   * made, counts as none, so that no provider can tell by time who exists.
   */
  isSandbox: boolean;
  /** The provider that has, or had, this game. */
  providerOf(gameId: string): string | undefined;
}
