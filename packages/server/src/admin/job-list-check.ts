import { partsOf } from '@freebets/client';
import { type JobItem, maxItemsOfJob } from '@freebets/contract';
import { Failure } from '../primitives/failure.ts';
import { type ListEntry, type ListOptions, readList } from './job-list.ts';

// The first pass over a list: checks every line before anything is sent. Keeps only the line numbers.

/** A list without errors. */
export interface CheckedList {
  sha256: string;
  items: number;
  parts: number;
  /** The first items. */
  sample: JobItem[];
  /** The line number of an item, by its part and its index in the part, from 0. */
  lineOf(part: number, item: number): number;
}

const sampleItems = 100;
const shownProblems = 20;

export async function checkList(options: ListOptions, stopped: AbortSignal): Promise<CheckedList> {
  const problems = problemList();
  const ids = issueIds();
  const lines = numberList();
  const sample: JobItem[] = [];
  const { entries, sha256 } = readList(options);
  const check = (entry: ListEntry): JobItem | undefined => {
    if ('problem' in entry) return void problems.add(entry.line, entry.problem);
    const { line, item } = entry;
    const before = item.issue_id === undefined ? undefined : ids.lineBefore(item.issue_id, line);
    if (before !== undefined) problems.add(line, `issue_id repeats line ${before}`);
    lines.push(line);
    if (sample.length < sampleItems) sample.push(item);
    return item;
  };
  async function* right(): AsyncGenerator<JobItem> {
    for await (const some of entries) {
      stopped.throwIfAborted();
      for (const entry of some) {
        const item = check(entry);
        if (item !== undefined) yield item;
      }
    }
  }
  const starts: number[] = [0];
  let items = 0;
  for await (const part of partsOf(right())) {
    items += part.length;
    starts.push(items);
  }
  problems.failIfAny(options.path);
  if (items === 0) throw new Failure(`${options.path} has no players.`);
  if (items > maxItemsOfJob) throw new Failure(`${options.path} has more than ${maxItemsOfJob} players: split it.`);
  const lineOf = (part: number, item: number) => lines.at((starts[part - 1] ?? 0) + item);
  return { sha256: sha256(), items, parts: starts.length - 1, sample, lineOf };
}

/**
 * Reads the checked items again, to send them. Fails before the end if the file has changed, so that its job is never
 * started.
 */
export async function* checkedItems(options: ListOptions, checked: CheckedList): AsyncGenerator<JobItem> {
  const changed = new Failure(`${options.path} changed while it was being read, so nothing was started. Try again.`);
  const { entries, sha256 } = readList(options);
  for await (const some of entries) {
    for (const entry of some) {
      if ('problem' in entry) throw changed;
      yield entry.item;
    }
  }
  if (sha256() !== checked.sha256) throw changed;
}

function problemList() {
  const shown: string[] = [];
  let count = 0;
  return {
    add(line: number, problem: string) {
      count += 1;
      if (shown.length < shownProblems) shown.push(`line ${line}: ${problem}.`);
    },
    failIfAny(path: string) {
      if (count === 0) return;
      const which =
        count > shown.length ? `${count} lines are invalid; the first ${shown.length}:` : linesAreWrong(count);
      throw new Failure([`${path} was not sent: ${which}`, ...shown].join('\n'));
    },
  };
}

const linesAreWrong = (count: number): string => (count === 1 ? 'one line is invalid:' : `${count} lines are invalid:`);

/** A growing list that takes four bytes per number. */
function numberList() {
  let numbers = new Uint32Array(1024);
  let length = 0;
  return {
    push(number: number) {
      if (length === numbers.length) {
        const longer = new Uint32Array(length * 2);
        longer.set(numbers);
        numbers = longer;
      }
      numbers[length++] = number;
    },
    at: (index: number): number => numbers[index] ?? 0,
  };
}

// A hash set of the issue_ids in a list. Each entry holds the whole ID as four numbers, and its line: 20 bytes in a
// table that is at most 70 % full, where a Map of strings takes about 150. A million IDs take at most 42 MB, outside
// the garbage-collected heap.

const words = 5;
const firstSlots = 1 << 12;

export interface IssueIds {
  /** The earlier line with this ID. Adds the ID if it is new, and returns undefined. */
  lineBefore(issueId: string, line: number): number | undefined;
}

function issueIds(): IssueIds {
  let table = new Uint32Array(firstSlots * words);
  let held = 0;
  const grow = () => {
    const old = table;
    table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += words) {
      if (old[at + 4] !== 0) table.set(old.subarray(at, at + words), slotOf(table, old.subarray(at, at + words)));
    }
  };
  const entry = new Uint32Array(words);
  return {
    lineBefore(issueId, line) {
      const digits = issueId.replaceAll('-', '');
      for (let word = 0; word < 4; word++) entry[word] = Number.parseInt(digits.slice(word * 8, word * 8 + 8), 16);
      entry[4] = line;
      const at = slotOf(table, entry);
      if (table[at + 4] !== 0) return table[at + 4];
      table.set(entry, at);
      held += 1;
      if (held > (table.length / words) * 0.7) grow();
      return undefined;
    },
  };
}

/** The slot of this ID, or the free slot for it. A slot without a line is free. */
function slotOf(table: Uint32Array, entry: Uint32Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = entry;
  const mask = table.length / words - 1;
  let hash = Math.imul(a ^ Math.imul(b ^ Math.imul(c ^ Math.imul(d, 0x9e3779b1), 0x85ebca6b), 0xc2b2ae35), 0x27d4eb2f);
  hash ^= hash >>> 15;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const at = slot * words;
    if (table[at + 4] === 0) return at;
    if (table[at] === a && table[at + 1] === b && table[at + 2] === c && table[at + 3] === d) return at;
  }
}
