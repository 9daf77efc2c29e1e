import type { DraftContents } from '@freebets/contract';
import { decimalIn } from '../../ui/numbers.ts';

// Converts between the form and the content of a draft. Incomplete and invalid text is saved as it is; the service
// reports what is wrong.

export type CampaignContent = Partial<DraftContents['campaign']>;

const durationUnits = { days: 1440, hours: 60, minutes: 1 };
export type DurationUnit = keyof typeof durationUnits;
export const unitNames = Object.keys(durationUnits) as DurationUnit[];

export interface CampaignForm {
  campaignId: string | undefined;
  name: string;
  games: string[];
  quantity: string | number;
  amounts: { currency: string; amount: string }[];
  validFrom: string | null;
  validUntil: string | null;
  duration: string | number;
  durationUnit: DurationUnit;
  limit: string | number;
  limitPerPlayer: string | number;
  minCoefficient: string;
  maxCoefficient: string;
}

const textOf = (value: string | number | undefined): string => (value === undefined ? '' : String(value));

export function formOf(content: CampaignContent): CampaignForm {
  const { config, duration_min } = content;
  const durationUnit = unitNames.find((unit) => (duration_min ?? 0) % durationUnits[unit] === 0) ?? 'minutes';
  return {
    campaignId: content.campaign_id,
    name: content.name ?? '',
    games: content.games ?? [],
    quantity: textOf(content.quantity),
    amounts: content.bet_amounts ?? [],
    validFrom: content.valid_from ?? null,
    validUntil: content.valid_until ?? null,
    duration: duration_min === undefined ? '' : String(duration_min / durationUnits[durationUnit]),
    durationUnit,
    limit: textOf(config?.bonus_limit),
    limitPerPlayer: textOf(config?.bonus_limit_per_user),
    minCoefficient: config?.min_coefficient ?? '',
    maxCoefficient: config?.max_coefficient ?? '',
  };
}

export const amountPlaces = 2;
export const coefficientPlaces = 4;

const typedDecimal = (typed: string, places: number): string => decimalIn(typed, places) ?? typed.trim();
/** Text that is not an amount stays unchanged. */
export const typedAmount = (typed: string): string => typedDecimal(typed, amountPlaces);
const coefficientOf = (typed: string): string => typedDecimal(typed, coefficientPlaces);
const filled = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== null)) as Partial<T>;
const numberOf = (typed: string | number): number | null => (typed === '' ? null : Number(typed));

export function contentOf(form: CampaignForm): Record<string, unknown> {
  const duration = numberOf(form.duration);
  const config = filled({
    bonus_limit: numberOf(form.limit),
    bonus_limit_per_user: numberOf(form.limitPerPlayer),
    min_coefficient: coefficientOf(form.minCoefficient),
    max_coefficient: coefficientOf(form.maxCoefficient),
  });
  return {
    ...(form.campaignId !== undefined && { campaign_id: form.campaignId }),
    ...filled({
      name: form.name.trim(),
      quantity: numberOf(form.quantity),
      valid_from: form.validFrom,
      valid_until: form.validUntil,
    }),
    ...(form.games.length > 0 && { games: form.games }),
    ...(form.amounts.length > 0 && {
      bet_amounts: form.amounts.map(({ currency, amount }) => ({ currency, amount: typedAmount(amount) })),
    }),
    ...(duration !== null && { duration_min: duration * durationUnits[form.durationUnit] }),
    ...(Object.keys(config).length > 0 && { config }),
  };
}
