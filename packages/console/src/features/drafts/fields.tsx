import { Group, Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { localText, viewerZone } from '../../ui/dates.ts';
import { DateField, DecimalInput, WholeNumberInput } from '../../ui/fields.tsx';
import { type CampaignForm, coefficientPlaces, unitNames } from './draft-form.ts';
import type { PlainProblem } from './words.tsx';

// What a free bet is made of, as fields: of a campaign, of a list with terms of its own, or of a single one.

export interface FieldsProps {
  form: UseFormReturnType<CampaignForm>;
}

/** One step of the editor of a draft. */
export interface StepProps extends FieldsProps {
  clientId: number;
  problems: PlainProblem[];
}

export const QuantityField = ({ form }: FieldsProps) => (
  <WholeNumberInput
    label="Bets of a free bet"
    description="How many bets one free bet gives its player."
    {...form.getInputProps('quantity')}
    min={1}
    max={1000}
    w={220}
  />
);

const utcText = (time: string): string => time.replace('T', ' ').replace(/(:00)?(\.\d+)?Z$/, ' UTC');

interface MomentProps {
  label: string;
  value?: string | null;
  /** What it means that it is empty, where it may be. */
  whenEmpty?: string;
  onChange(value: string | null): void;
}

export const Moment = ({ label, value = null, whenEmpty, onChange }: MomentProps) => (
  <DateField
    type="datetime-local"
    label={label}
    description={value ? utcText(value) : (whenEmpty ?? `In your time, ${viewerZone}`)}
    inputWrapperOrder={['label', 'input', 'error', 'description']}
    value={value === null ? '' : localText(value)}
    onChange={(local) => onChange(local === '' ? null : new Date(local).toISOString())}
    w={230}
  />
);

export const DurationField = ({ form }: FieldsProps) => (
  <Group align="flex-end">
    <WholeNumberInput
      label="A free bet lasts"
      description="From when it can be used; empty: until the end."
      {...form.getInputProps('duration')}
      min={1}
      w={230}
    />
    <Select
      aria-label="Unit of how long it lasts"
      data={unitNames}
      {...form.getInputProps('durationUnit')}
      allowDeselect={false}
      w={120}
    />
  </Group>
);

export const CoefficientFields = ({ form }: FieldsProps) => (
  <Group align="flex-start">
    <DecimalInput
      label="Lowest coefficient"
      placeholder="such as 1.50"
      {...form.getInputProps('minCoefficient')}
      places={coefficientPlaces}
      w={230}
    />
    <DecimalInput
      label="Highest coefficient"
      placeholder="such as 10.00"
      {...form.getInputProps('maxCoefficient')}
      places={coefficientPlaces}
      w={230}
    />
  </Group>
);
