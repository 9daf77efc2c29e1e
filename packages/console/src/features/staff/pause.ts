/** The stream of what happens says nothing of people, so their screens ask again. */
export const staffPauseMs = 5_000;
