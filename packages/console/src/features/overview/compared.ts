const hourMs = 3_600_000;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The span that is compared: whole hours of UTC, up to `now`. Several sandboxes have no common clock. */
export const comparedSpan = (now: string, haveOneClock: boolean): string =>
  haveOneClock ? `until ${clock.format(Math.floor(Date.parse(now) / hourMs) * hourMs)}` : 'in whole hours';
