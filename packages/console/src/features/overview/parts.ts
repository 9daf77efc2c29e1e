import type { AnswerOf } from '../../api/call.ts';

export type Standing = AnswerOf<'OverviewGet'>;

/** Parts of the overview that a figure above them leads to, by their place in the address. */
export const parts = { live: 'live', webhooks: 'webhooks', lists: 'lists' };

/** Where several partners stand together: what is a sandbox is nobody's money. */
export const partnerText = ({ partner, sandbox }: { partner: string; sandbox: boolean }): string =>
  sandbox ? `${partner} · sandbox` : partner;
