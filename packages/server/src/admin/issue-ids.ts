// Which issue_ids a list has named. Each is kept whole, as four numbers, with its line: 20 bytes in a table that is at most
// 70 % full, where a Map of strings takes some 150. So a list of a million takes 42 MB at most, outside of what is collected.

const words = 5;
const firstSlots = 1 << 12;

export interface IssueIds {
  /** The line on which this id was named before; otherwise it is named here now. */
  lineBefore(issueId: string, line: number): number | undefined;
}

export function issueIds(): IssueIds {
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

/** Where this id is, or may be put: a slot without a line is free. */
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
