import assert from 'node:assert/strict';
import type { OperationName } from '@freebets/contract';
import { accepted } from './answers.ts';
import { call, demo } from './caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: an entry is a campaign or a free bet.
type Entry = any;

export interface Walk {
  entries: Entry[];
  /** The number of entries on each page. */
  pages: number[];
}

const mostPages = 500;

/** Reads a list to its end. `between` runs after each page. */
export async function walk(
  url: string,
  name: OperationName & ('FreeBetList' | 'CampaignList'),
  request: object,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<Walk> {
  const walked: Walk = { entries: [], pages: [] };
  let cursor: string | null | undefined;
  while (cursor !== null) {
    assert.ok(walked.pages.length < mostPages, 'the list has no end');
    const answer = await call(url, name, { ...request, ...(cursor && { cursor }) }, demo);
    const body = accepted(name, answer);
    const entries = name === 'FreeBetList' ? body.free_bets : body.campaigns;
    walked.entries.push(...entries);
    walked.pages.push(entries.length);
    cursor = body.next_cursor;
    await between(walked.pages.length);
  }
  return walked;
}
