import { Alert, Button, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { DecimalInput, WholeNumberInput } from '../../ui/fields.tsx';
import { useFittingCurrencies } from '../../ui/games.tsx';
import { limitInput } from '../campaigns/limits.tsx';
import { TermsPanel, termsOf } from '../campaigns/terms.tsx';
import { SandboxTime } from '../sandbox/partner-time.tsx';
import { amountPlaces, type CampaignContent, type CampaignForm, contentOf } from './draft-form.ts';
import { CoefficientFields, DurationField, QuantityField, type StepProps, TimeField } from './fields.tsx';
import { GamePicker } from './game-picker.tsx';
import { SubmitDialog } from './submit.tsx';
import { type PlainProblem, ProblemList, type Step } from './words.tsx';

export function StepBody({ step, ...props }: StepProps & { step: Exclude<Step, 'submit'> }) {
  if (step === 'amounts') return <AmountsStep {...props} />;
  if (step === 'time') return <TimeStep {...props} />;
  if (step === 'limits') return <LimitsStep {...props} />;
  return (
    <Stack>
      <TextInput label="Name" {...props.form.getInputProps('name')} maxLength={255} maw={520} />
      <GamePicker {...props} />
    </Stack>
  );
}

function AmountsStep({ form, problems }: StepProps) {
  const { games, amounts } = form.values;
  const { currencies, isPending, error, retry } = useFittingCurrencies(games);
  const isKnown = !isPending && !error;
  const fitting = isKnown ? currencies : [];
  const left = fitting.filter((currency) => !amounts.some((each) => each.currency === currency));
  return (
    <Stack>
      <QuantityField form={form} />
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          Stake per bet
        </Text>
        {amounts.map(({ currency }, at) => (
          <Group key={currency} gap="xs" align="flex-start">
            <DecimalInput
              aria-label={`Stake in ${currency}`}
              {...form.getInputProps(`amounts.${at}.amount`)}
              places={amountPlaces}
              rightSection={<Text size="xs">{currency}</Text>}
              rightSectionWidth={56}
              error={fitting.length > 0 && !fitting.includes(currency) && `Not all selected games support ${currency}`}
              w={220}
            />
            <Button
              variant="subtle"
              aria-label={`Remove ${currency}`}
              onClick={() => form.removeListItem('amounts', at)}
            >
              Remove
            </Button>
          </Group>
        ))}
        {games.length === 0 && (
          <Alert variant="light">Select the games first. They determine the available currencies.</Alert>
        )}
        {error && <ErrorNote error={error} onRetry={retry} />}
        {isPending && <Skeleton height={36} w={220} />}
        {games.length > 0 && isKnown && fitting.length === 0 && (
          <Alert variant="light" color="orange">
            The selected games have no currency in common. Select games of providers that support the same currency.
          </Alert>
        )}
        {left.length > 0 && (
          <Select
            aria-label="Add a currency"
            placeholder="Add a currency"
            data={left}
            value={null}
            onChange={(currency) => currency && form.insertListItem('amounts', { currency, amount: '' })}
            searchable
            w={220}
          />
        )}
      </Stack>
      <ProblemList problems={problems.filter(({ step }) => step === 'amounts')} />
    </Stack>
  );
}

function TimeStep({ clientId, form, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Times are in your time zone, {viewerZone}. The UTC time is below each field.
      </Text>
      <SandboxTime clientId={clientId} />
      <Group align="flex-start">
        <TimeField label="Start" {...form.getInputProps('validFrom')} />
        <TimeField label="End" {...form.getInputProps('validUntil')} />
      </Group>
      <DurationField form={form} />
      <ProblemList problems={problems.filter(({ step }) => step === 'time')} />
    </Stack>
  );
}

function LimitsStep({ form, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        The campaign cap and the maximum odds limit the liability of the campaign. Empty: no limit.
      </Text>
      <Group align="flex-start">
        <WholeNumberInput label="Campaign cap" {...form.getInputProps('limit')} {...limitInput} w={230} />
        <WholeNumberInput label="Per-player cap" {...form.getInputProps('limitPerPlayer')} {...limitInput} w={230} />
      </Group>
      <CoefficientFields form={form} />
      <ProblemList problems={problems.filter(({ step }) => step === 'limits')} />
    </Stack>
  );
}

interface SubmitStepProps {
  form: CampaignForm;
  draft: CallResponse<'DraftSave'>;
  isSaved: boolean;
  problems: PlainProblem[];
}

export function SubmitStep({ form, draft, isSaved, problems }: SubmitStepProps) {
  const [asked, setAsked] = useState<SubmitStepProps['draft'] | null>(null);
  const isReady = isSaved && problems.length === 0;
  return (
    <Stack>
      <TermsPanel terms={termsOf(contentOf(form) as CampaignContent, draft)} />
      {problems.length > 0 && (
        <Alert color="orange" variant="light" title="Complete these before you submit">
          <ProblemList problems={problems} />
        </Alert>
      )}
      <div>
        <Button disabled={!isReady} onClick={() => setAsked(draft)}>
          Submit…
        </Button>
        <Text size="xs" c="dimmed" mt={4}>
          {isReady && draft.needs_approval ? 'A colleague must approve it before it goes live.' : ''}
        </Text>
      </div>
      {asked && <SubmitDialog draft={asked} onClose={() => setAsked(null)} />}
    </Stack>
  );
}
