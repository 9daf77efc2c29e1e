/** At most so long, as a form counts it, and never in the middle of a character: half of one is refused, and shown as none. */
export const cut = (text: string, most: number): string => text.slice(0, most).replace(/\p{Surrogate}$/u, '');
