import { Broken, type Check, chosenAmong, type HowToCheck, type Report, reportOf, runChecks } from '../check.ts';
import { answersCheck, errorChecks } from './error-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { fieldChecks, termChecks } from './field-checks.ts';
import { idempotencyChecks } from './idempotency-checks.ts';
import { isolationChecks } from './isolation-checks.ts';
import { limitChecks } from './limit-checks.ts';
import { orderChecks } from './order-checks.ts';
import { cleanUp, openParty, type Parties } from './parties.ts';
import { clockChecks, roundChecks } from './sandbox-checks.ts';
import { signatureChecks } from './signature-checks.ts';
import type { WireOptions } from './wire.ts';

export const serverChecks = [
  ...signatureChecks,
  ...orderChecks,
  ...fieldChecks,
  ...termChecks,
  ...errorChecks,
  ...idempotencyChecks,
  ...limitChecks,
  ...isolationChecks,
  ...feedChecks,
  ...roundChecks,
  ...clockChecks,
  answersCheck,
];

export interface ServerToCheck {
  url: string;
  signing: WireOptions['signing'];
  us: { clientId: number; secret: string };
  other: { clientId: number; secret: string } | undefined;
}

/** A response may have any form. One that can't be read breaks the current rule, but does not end the run. */
const reading = (check: Check<Parties>): Check<Parties> => ({
  ...check,
  async run(parties) {
    try {
      await check.run(parties);
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new Broken(`A response differs from the reference: ${error.message}.`, parties.us.seen.last);
    }
  },
});

/** Checks any implementation of the API over HTTP, as one or two of its partners. */
export async function checkServer(server: ServerToCheck, howToCheck: HowToCheck): Promise<Report> {
  const { url, signing } = server;
  const { only, signal } = howToCheck;
  const started_at = new Date().toISOString();
  const how = { url, signing, signal, seen: { last: null, mismatches: new Map() } };
  const us = await openParty({ ...how, ...server.us });
  const other = server.other && (await openParty({ ...how, ...server.other }));
  try {
    const checks = chosenAmong(serverChecks, only).map(reading);
    const results = await runChecks(checks, { us, other }, howToCheck);
    return reportOf({ target: url, kind: 'server', started_at }, only, results);
  } finally {
    for (const party of [us, other]) if (party !== undefined) await cleanUp(party);
  }
}
