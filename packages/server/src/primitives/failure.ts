/** An error that the person at the terminal can fix. Its message is one clear sentence, shown without a stack. */
export class Failure extends Error {}

/** Joins the lines of a database message, for use in a sentence. */
export const inOneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
