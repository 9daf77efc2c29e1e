// What several test files of a process use, one after the other, is ended when the last of them has.

const ends: (() => Promise<unknown>)[] = [];

export const atProcessEnd = (end: () => Promise<unknown>): void => {
  ends.push(end);
};

export async function endProcess(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
