/** Something the person at the terminal can mend. Its message is one clear sentence, and is shown without a stack. */
export class Failure extends Error {}

/** Joins the lines of a database message, for use in a sentence. */
export const inOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
