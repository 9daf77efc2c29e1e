/** The members of an object as JSON, without the braces: a line of the log puts its own before them. */
export const membersOf = (fields: object): string => JSON.stringify(fields).slice(1, -1);
