import type { StaffResponseOf } from '@freebets/contract';

export type Standing = StaffResponseOf<'OverviewGet'>;

/** Parts of the overview that a figure above them leads to, by their place in the address. */
export const parts = { live: 'live', webhooks: 'webhooks', lists: 'lists' };

/** Where several partners stand together: what is a sandbox is nobody's money. */
export const partnerText = ({ partner, sandbox }: { partner: string; sandbox: boolean }): string =>
  sandbox ? `${partner} · sandbox` : partner;

const hourMs = 3_600_000;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The span that is compared: whole hours of UTC, up to `now`. Several sandboxes have no common clock. */
export const comparedSpan = (now: string, haveOneClock: boolean): string =>
  haveOneClock ? `until ${clock.format(Math.floor(Date.parse(now) / hourMs) * hourMs)}` : 'in whole hours';
