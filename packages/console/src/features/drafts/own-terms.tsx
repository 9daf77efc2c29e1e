import type { IssueItem } from '@freebets/contract';
import { Group, SegmentedControl, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { DecimalInput } from '../../ui/fields.tsx';
import { decimalError, decimalIn } from '../../ui/numbers.ts';
import {
  amountPlaces,
  type CampaignContent,
  type CampaignForm,
  coefficientPlaces,
  contentOf,
  formOf,
  typedAmount,
} from './draft-form.ts';
import { CoefficientFields, DurationField, QuantityField, TimeField } from './fields.tsx';
import { GamePicker } from './game-picker.tsx';

// Terms without a campaign, for a single free bet or a bulk award.

type Direct = Exclude<IssueItem, { campaign_id: string }>;
/** In the format of the service. */
export type OwnTerms = Omit<Direct, 'player_id' | 'currency' | 'issue_id' | 'name'>;

export interface OwnForm extends CampaignForm {
  amount: string;
}

export const ownFormOf = (content: CampaignContent, amount: string): OwnForm => ({ ...formOf(content), amount });

export const newOwnForm = (): OwnForm => ownFormOf({ quantity: 1 }, '');

export const ownTermsOf = (own: OwnForm): OwnTerms =>
  ({ ...contentOf(own), bet_amount: typedAmount(own.amount) }) as OwnTerms;

/** Whether the cost can be calculated. */
export function isComplete(own: OwnForm): boolean {
  const { games, quantity, valid_until, bet_amount } = ownTermsOf(own);
  const { minCoefficient, maxCoefficient } = own;
  const areCoefficients = [minCoefficient, maxCoefficient].every((each) => !decimalError(each, coefficientPlaces));
  return (
    Boolean(games && quantity && valid_until) && decimalIn(bet_amount, amountPlaces) !== undefined && areCoefficients
  );
}

const kinds = ['From a campaign', 'Own terms'] as const;

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
  form: UseFormReturnType<OwnForm>;
}

export function OwnTermsFields({ clientId, form }: OwnTermsProps) {
  return (
    <Stack gap="sm">
      <GamePicker clientId={clientId} form={form} />
      <Group align="flex-end">
        <DecimalInput
          label="Stake per bet"
          description="In the player's currency."
          {...form.getInputProps('amount')}
          places={amountPlaces}
          w={220}
        />
        <QuantityField form={form} />
      </Group>
      <Group align="flex-start">
        <TimeField label="Usable from" whenEmpty="Empty: now" {...form.getInputProps('validFrom')} />
        <TimeField label="Usable until" {...form.getInputProps('validUntil')} />
      </Group>
      <DurationField form={form} />
      <CoefficientFields form={form} />
    </Stack>
  );
}
