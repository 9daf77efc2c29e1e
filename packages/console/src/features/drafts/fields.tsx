import { Group, Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { localText, viewerZone } from '../../ui/dates.ts';
import { DateField, DecimalInput, WholeNumberInput } from '../../ui/fields.tsx';
import { type CampaignForm, coefficientPlaces, unitNames } from './draft-form.ts';
import type { PlainProblem } from './words.tsx';

// The fields for the terms of free bets, shared by campaigns, bulk awards with their own terms and single free bets.

export interface FieldsProps {
  form: UseFormReturnType<CampaignForm>;
}

/** A step of the draft editor. */
export interface StepProps extends FieldsProps {
  clientId: number;
  problems: PlainProblem[];
}

export const QuantityField = ({ form }: FieldsProps) => (
  <WholeNumberInput
    label="Bets per free bet"
    description="How many bets the player gets with one free bet."
    {...form.getInputProps('quantity')}
    min={1}
    max={1000}
    w={220}
  />
);

const utcText = (time: string): string => time.replace('T', ' ').replace(/(:00)?(\.\d+)?Z$/, ' UTC');

interface TimeFieldProps {
  label: string;
  value?: string | null;
  /** The description of an empty field, if it is optional. */
  whenEmpty?: string;
  onChange(value: string | null): void;
}

export const TimeField = ({ label, value = null, whenEmpty, onChange }: TimeFieldProps) => (
  <DateField
    type="datetime-local"
    label={label}
    description={value ? utcText(value) : (whenEmpty ?? `Your time zone: ${viewerZone}`)}
    inputWrapperOrder={['label', 'input', 'error', 'description']}
    value={value === null ? '' : localText(value)}
    onChange={(local) => onChange(local === '' ? null : new Date(local).toISOString())}
    w={230}
  />
);

export const DurationField = ({ form }: FieldsProps) => (
  <Group align="flex-end">
    <WholeNumberInput
      label="Free bet valid for"
      description="From when it becomes usable. Empty: until the end date."
      {...form.getInputProps('duration')}
      min={1}
      w={230}
    />
    <Select
      aria-label="Unit of the validity"
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
      label="Minimum odds"
      description="In crash games: the multiplier."
      placeholder="e.g. 1.50"
      {...form.getInputProps('minCoefficient')}
      places={coefficientPlaces}
      w={230}
    />
    <DecimalInput
      label="Maximum odds"
      description="Limits what one bet can win."
      placeholder="e.g. 10.00"
      {...form.getInputProps('maxCoefficient')}
      places={coefficientPlaces}
      w={230}
    />
  </Group>
);
