import { hash } from 'node:crypto';
import type { AuditVerifyResponse } from '@freebets/contract';

// Checks a chain of audit records link by link: recomputes the hash of each from the previous hash and its content.
// Memory use does not depend on the length of the chain.

export interface Link {
  sequence: number;
  /** In milliseconds since 1970. */
  at: number;
  record: string;
  hash: Buffer;
  /**
   * The hash of the previous link, according to the source of this one; undefined if unknown, null if there is none.
   */
  previous?: Buffer | null;
}

type Break = AuditVerifyResponse['chains'][number]['breaks'][number];

export interface ChainReport {
  chain: number;
  /** How many links the chain should have. */
  length: number;
  /** How many links were checked. */
  links: number;
  last_hash: string | null;
  break_count: number;
  breaks: Break[];
}

export interface ChainExpected {
  chain: number;
  /** Null if the head of the chain is missing. */
  length: number | null;
  /** Only some of the links are checked. */
  hasGaps: boolean;
}

export interface ChainCheck {
  add(link: Link): void;
  /** Call this after the last link. */
  end(): ChainReport;
}

const breaksKept = 100;
/**
 * The most candidates for the hash of a link after several wrong ones. Without a limit, the cost would grow
 * quadratically.
 */
const hashesKept = 8;
const nothing = Buffer.alloc(0);

/** The expected hashes of a link, one for each possible hash of the previous link. */
function hashesOf({ sequence, at, record }: Link, before: Buffer[]): Buffer[] {
  const text = Buffer.from(`${sequence} ${at} ${record}`);
  return before.map((previous) => hash('sha256', Buffer.concat([previous, text]), 'buffer'));
}

/** The first candidates follow from the latest links, the last one from the latest correct link. */
const mostLikely = (hashes: Buffer[]): Buffer[] =>
  hashes.length < hashesKept ? hashes : [...hashes.slice(0, hashesKept - 2), ...hashes.slice(-1)];

const messages = {
  changed:
    'its hash does not match: its record, time, number or hash was changed, or it or the previous record was ' +
    'inserted',
  beyond: 'it is outside the chain',
  again: 'it is repeated or out of order',
  missing: 'missing; the next record cannot be checked without it',
  missingAtEnd: 'missing: the chain should be longer',
  noHead: 'the head of the chain, which has its length, is missing',
};

export function checkChain({ chain, length, hasGaps }: ChainExpected): ChainCheck {
  const breaks: Break[] = [];
  let breakCount = 0;
  let links = 0;
  // If only the hash of a link was changed, the next link still follows from its expected hash, so only the changed one
  // is reported.
  let last: { sequence: number; hash: Buffer | null; hashes: Buffer[] } = {
    sequence: 0,
    hash: null,
    hashes: [nothing],
  };

  const report = (problem: Break['problem'], message: string, sequence: number, through = sequence) => {
    breakCount += 1;
    if (breaks.length < breaksKept) breaks.push({ sequence, through, problem, message });
  };

  /** The possible hashes of the previous link; empty if unknown. */
  const hashesBefore = ({ sequence, previous }: Link): Buffer[] => {
    if (sequence === last.sequence + 1) return last.hashes;
    if (sequence === 1) return [nothing];
    return previous ? [previous] : [];
  };

  const reportMissing = ({ sequence, previous }: Link) => {
    if (sequence === last.sequence + 1) return;
    if (!hasGaps) report('missing', messages.missing, last.sequence + 1, sequence - 1);
    else if (previous === null && sequence > 1) report('missing', messages.missing, sequence - 1);
  };

  return {
    add(link) {
      links += 1;
      const { sequence } = link;
      if (sequence < 1 || sequence > (length ?? sequence)) return report('added', messages.beyond, sequence);
      if (sequence <= last.sequence) return report('added', messages.again, sequence);
      reportMissing(link);
      const computed = hashesOf(link, hashesBefore(link));
      const isRight = computed.length === 0 || computed.some((each) => each.equals(link.hash));
      if (!isRight) report('changed', messages.changed, sequence);
      last = { sequence, hash: link.hash, hashes: isRight ? [link.hash] : [link.hash, ...mostLikely(computed)] };
    },
    end() {
      if (length === null) report('no_head', messages.noHead, 0);
      else if (!hasGaps && last.sequence < length) {
        report('missing', messages.missingAtEnd, last.sequence + 1, length);
      }
      const last_hash = last.hash?.toString('hex') ?? null;
      return { chain, length: length ?? last.sequence, links, last_hash, break_count: breakCount, breaks };
    },
  };
}
