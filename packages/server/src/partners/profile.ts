/** The games offered to one partner, as far as the rules ask about them. */
export interface OfferedGame {
  providerId: string;
  freeBets: boolean;
  currencies: ReadonlySet<string>;
}

export type Offer = ReadonlyMap<string, OfferedGame>;
