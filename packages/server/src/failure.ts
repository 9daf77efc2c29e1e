/** Something the person at the terminal can mend. Its message is one clear sentence, and is shown without a stack. */
export class Failure extends Error {}
