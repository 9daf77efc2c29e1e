import type { IssueItem } from '@freebets/contract';
import { Group, SegmentedControl, Stack } from '@mantine/core';
import { DecimalInput } from '../../ui/fields.tsx';
import { decimalIn, whyNoDecimal } from '../../ui/numbers.ts';
import {
  amountPlaces,
  type CampaignContent,
  type CampaignForm,
  coefficientPlaces,
  contentOf,
  formOf,
  typedAmount,
} from './draft-form.ts';
import { CoefficientFields, DurationField, Moment, QuantityField } from './fields.tsx';
import { GamePicker } from './game-picker.tsx';

// Terms that no campaign has: those of a single free bet, or of a list.

type Direct = Exclude<IssueItem, { campaign_id: string }>;
/** As the service takes them. */
export type OwnTerms = Omit<Direct, 'player_id' | 'currency' | 'issue_id' | 'name'>;

export interface OwnForm {
  form: CampaignForm;
  amount: string;
}

export const ownFormOf = (content: CampaignContent, amount: string): OwnForm => ({ form: formOf(content), amount });

export const newOwnForm = (): OwnForm => ownFormOf({ quantity: 1 }, '');

export const ownTermsOf = ({ form, amount }: OwnForm): OwnTerms =>
  ({ ...contentOf(form), bet_amount: typedAmount(amount) }) as OwnTerms;

/** Whether it can be counted what they cost. */
export function isWhole(own: OwnForm): boolean {
  const { games, quantity, valid_until, bet_amount } = ownTermsOf(own);
  const { minCoefficient, maxCoefficient } = own.form;
  const areCoefficients = [minCoefficient, maxCoefficient].every((each) => !whyNoDecimal(each, coefficientPlaces));
  return (
    Boolean(games && quantity && valid_until) && decimalIn(bet_amount, amountPlaces) !== undefined && areCoefficients
  );
}

const kinds = ['Of a campaign', 'Terms of its own'] as const;

export const TermsChoice = ({ isOwn, onChoose }: { isOwn: boolean; onChoose(isOwn: boolean): void }) => (
  <SegmentedControl
    aria-label="Terms"
    data={[...kinds]}
    value={kinds[isOwn ? 1 : 0]}
    onChange={(value) => onChoose(value === kinds[1])}
    w="max-content"
    maw="100%"
  />
);

interface OwnTermsProps {
  clientId: number;
  own: OwnForm;
  onChange(own: OwnForm): void;
}

export function OwnTermsFields({ clientId, own, onChange }: OwnTermsProps) {
  const { form, amount } = own;
  const change = (changes: Partial<CampaignForm>) => onChange({ ...own, form: { ...form, ...changes } });
  return (
    <Stack gap="sm">
      <GamePicker clientId={clientId} form={form} onChange={change} />
      <Group align="flex-end">
        <DecimalInput
          label="Amount of a bet"
          description="In the currency of the player."
          value={amount}
          onChange={(typed) => onChange({ ...own, amount: typed })}
          places={amountPlaces}
          w={220}
        />
        <QuantityField form={form} onChange={change} />
      </Group>
      <Group align="flex-start">
        <Moment
          label="Can be used from"
          whenEmpty="Empty: at once"
          time={form.validFrom}
          onChange={(validFrom) => change({ validFrom })}
        />
        <Moment label="Can be used until" time={form.validUntil} onChange={(validUntil) => change({ validUntil })} />
      </Group>
      <DurationField form={form} onChange={change} />
      <CoefficientFields form={form} onChange={change} />
    </Stack>
  );
}
