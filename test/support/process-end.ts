// Things that several test files of a process share end after the last of these files.

const ends: (() => Promise<unknown>)[] = [];

export const atProcessEnd = (end: () => Promise<unknown>): void => {
  ends.push(end);
};

export async function endProcess(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
