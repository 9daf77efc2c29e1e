import { Group, Select } from '@mantine/core';
import { localText, viewerZone } from '../../ui/dates.ts';
import { DateField, DecimalInput, WholeNumberInput } from '../../ui/fields.tsx';
import { type CampaignForm, coefficientPlaces, type DurationUnit, unitNames } from './draft-form.ts';
import type { PlainProblem } from './words.tsx';

// What a free bet is made of, as fields: of a campaign, of a list with terms of its own, or of a single one.

interface FieldsProps {
  form: CampaignForm;
  onChange(changes: Partial<CampaignForm>): void;
}

/** One step of the editor of a draft. */
export interface StepProps extends FieldsProps {
  clientId: number;
  problems: PlainProblem[];
}

export const QuantityField = ({ form, onChange }: FieldsProps) => (
  <WholeNumberInput
    label="Bets of a free bet"
    description="How many bets one free bet gives its player."
    value={form.quantity}
    onChange={(value) => onChange({ quantity: String(value) })}
    min={1}
    max={1000}
    w={220}
  />
);

const utcText = (time: string): string => time.replace('T', ' ').replace(/(:00)?(\.\d+)?Z$/, ' UTC');

interface MomentProps {
  label: string;
  time: string | null;
  /** What it means that it is empty, where it may be. */
  whenEmpty?: string;
  onChange(time: string | null): void;
}

export const Moment = ({ label, time, whenEmpty, onChange }: MomentProps) => (
  <DateField
    type="datetime-local"
    label={label}
    description={time ? utcText(time) : (whenEmpty ?? `In your time, ${viewerZone}`)}
    inputWrapperOrder={['label', 'input', 'error', 'description']}
    value={time === null ? '' : localText(time)}
    onChange={(value) => onChange(value === '' ? null : new Date(value).toISOString())}
    w={230}
  />
);

export const DurationField = ({ form, onChange }: FieldsProps) => (
  <Group align="flex-end">
    <WholeNumberInput
      label="A free bet lasts"
      description="From when it can be used; empty: until the end."
      value={form.duration}
      onChange={(value) => onChange({ duration: String(value) })}
      min={1}
      w={230}
    />
    <Select
      aria-label="Unit of how long it lasts"
      data={unitNames}
      value={form.durationUnit}
      onChange={(unit) => onChange({ durationUnit: unit as DurationUnit })}
      allowDeselect={false}
      w={120}
    />
  </Group>
);

export const CoefficientFields = ({ form, onChange }: FieldsProps) => (
  <Group align="flex-start">
    <DecimalInput
      label="Lowest coefficient"
      placeholder="such as 1.50"
      value={form.minCoefficient}
      onChange={(minCoefficient) => onChange({ minCoefficient })}
      places={coefficientPlaces}
      w={230}
    />
    <DecimalInput
      label="Highest coefficient"
      placeholder="such as 10.00"
      value={form.maxCoefficient}
      onChange={(maxCoefficient) => onChange({ maxCoefficient })}
      places={coefficientPlaces}
      w={230}
    />
  </Group>
);
