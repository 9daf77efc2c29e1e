/** Several words that were put in as one, such as from a spreadsheet, are several; each is there one time. */
export const partsOf = (tags: string[]): string[] => [
  ...new Set(tags.flatMap((tag) => tag.split(/[\s,;]+/)).filter((part) => part !== '')),
];
