import { chosenAmong, type HowToCheck, type Report, reportOf, runChecks } from '../check.ts';
import { errorChecks } from './error-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { fieldChecks, termChecks } from './field-checks.ts';
import { idempotencyChecks } from './idempotency-checks.ts';
import { isolationChecks } from './isolation-checks.ts';
import { limitChecks } from './limit-checks.ts';
import { orderChecks } from './order-checks.ts';
import { openParty, takeBack } from './parties.ts';
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
];

export interface ServerToCheck {
  url: string;
  signing: WireOptions['signing'];
  us: { clientId: number; secret: string };
  other: { clientId: number; secret: string } | undefined;
}

/** Any deployment of the interface, over HTTP, as one or two of its partners. */
export async function checkServer(server: ServerToCheck, { only, onResult, signal }: HowToCheck): Promise<Report> {
  const { url, signing } = server;
  const started_at = new Date().toISOString();
  const us = await openParty({ url, signing, ...server.us });
  const other = server.other && (await openParty({ url, signing, ...server.other }));
  try {
    const results = await runChecks(chosenAmong(serverChecks, only), { us, other }, onResult, signal);
    return reportOf({ target: url, kind: 'server', started_at }, results);
  } finally {
    for (const party of [us, other]) if (party !== undefined) await takeBack(party);
  }
}
