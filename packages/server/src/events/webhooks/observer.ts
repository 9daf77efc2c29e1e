import type { EndedAttempt } from './post.ts';

/** What is counted and logged of deliveries. */
export interface DeliveryObserver {
  attempted(result: EndedAttempt['result']): void;
  /** For the first attempt of an event: how long after its commit. */
  firstAttempt(elapsedS: number): void;
  /** That was the last attempt of an event. */
  givenUp(): void;
  /** It has failed several times in a row, or works again after that. */
  failing(clientId: number, reason: string): void;
  worksAgain(clientId: number): void;
  turnedOff(clientId: number, reason: string): void;
  fault(error: unknown): void;
}
