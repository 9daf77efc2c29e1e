import type { StaffResponseOf } from '@freebets/contract';

export type OverviewData = StaffResponseOf<'OverviewGet'>;

/** The anchors of the sections that tiles link to. */
export const parts = { live: 'live', webhooks: 'webhooks', lists: 'lists' };

/** Marks sandboxes wherever several partners are shown together. */
export const partnerText = ({ partner, sandbox }: { partner: string; sandbox: boolean }): string =>
  sandbox ? `${partner} · sandbox` : partner;

const hourMs = 3_600_000;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The compared period: whole UTC hours up to `now`. Several sandboxes have no common clock, so they get no time. */
export const comparedSpan = (now: string, haveOneClock: boolean): string =>
  haveOneClock ? `until ${clock.format(Math.floor(Date.parse(now) / hourMs) * hourMs)}` : 'in whole hours';
