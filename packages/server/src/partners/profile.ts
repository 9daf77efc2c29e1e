/** The fields of an offered game that the rules need. */
export interface OfferedGame {
  providerId: string;
  freeBets: boolean;
  currencies: ReadonlySet<string>;
}

export type Offer = ReadonlyMap<string, OfferedGame>;

/** What the rules need to know about the partner in addition to the loaded rows. */
export interface PartnerProfile {
  offer: Offer;
  stakeReturned: boolean;
  /**
   * A sandbox has its own clock. The property never changes. A server doesn't know a new sandbox for a second or two
   * and treats it as a real partner, so that response times don't reveal to providers which partners exist.
   */
  isSandbox: boolean;
  /** The provider of this game, including withdrawn games. */
  providerOf(gameId: string): string | undefined;
}
