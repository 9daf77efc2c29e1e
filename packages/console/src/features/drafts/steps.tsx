import { Alert, Button, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { viewerZone } from '../../ui/dates.ts';
import { DecimalInput, WholeNumberInput } from '../../ui/fields.tsx';
import { useFittingCurrencies } from '../../ui/games.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { limitInput } from '../campaigns/limits.tsx';
import { TermsPanel, termsOf } from '../campaigns/terms.tsx';
import { SandboxTime } from '../sandbox/partner-time.tsx';
import { amountPlaces, type CampaignContent, type CampaignForm, contentOf } from './draft-form.ts';
import { CoefficientFields, DurationField, Moment, QuantityField, type StepProps } from './fields.tsx';
import { GamePicker } from './game-picker.tsx';
import { SubmitDialog } from './submit.tsx';
import { type PlainProblem, ProblemList, type Step } from './words.tsx';

export function StepBody({ step, ...props }: StepProps & { step: Exclude<Step, 'submit'> }) {
  if (step === 'amounts') return <AmountsStep {...props} />;
  if (step === 'time') return <TimeStep {...props} />;
  if (step === 'limits') return <LimitsStep {...props} />;
  return (
    <Stack>
      <TextInput
        label="Name"
        value={props.form.name}
        onChange={(event) => props.onChange({ name: event.currentTarget.value })}
        maxLength={255}
        maw={520}
      />
      <GamePicker {...props} />
    </Stack>
  );
}

function AmountsStep({ form, onChange, problems }: StepProps) {
  const { currencies, isPending, error, retry } = useFittingCurrencies(form.games);
  const isKnown = !isPending && !error;
  const fitting = isKnown ? currencies : [];
  const { amounts } = form;
  const left = fitting.filter((currency) => !amounts.some((each) => each.currency === currency));
  const setAmount = (at: number, amount: string) =>
    onChange({ amounts: amounts.map((each, index) => (index === at ? { ...each, amount } : each)) });
  return (
    <Stack>
      <QuantityField form={form} onChange={onChange} />
      <Stack gap="xs">
        <Text size="sm" fw={500}>
          Amount of a bet
        </Text>
        {amounts.map(({ currency, amount }, at) => (
          <Group key={currency} gap="xs" align="flex-start">
            <DecimalInput
              aria-label={`Amount in ${currency}`}
              value={amount}
              onChange={(typed) => setAmount(at, typed)}
              places={amountPlaces}
              rightSection={<Text size="xs">{currency}</Text>}
              rightSectionWidth={56}
              error={fitting.length > 0 && !fitting.includes(currency) && `Not every chosen game takes ${currency}`}
              w={220}
            />
            <Button
              variant="subtle"
              aria-label={`Remove ${currency}`}
              onClick={() => onChange({ amounts: amounts.filter((each) => each.currency !== currency) })}
            >
              Remove
            </Button>
          </Group>
        ))}
        {form.games.length === 0 && (
          <Alert variant="light">Choose the games first: they say which currencies fit.</Alert>
        )}
        {error && <RefusalNote error={error} onRetry={retry} />}
        {isPending && <Skeleton height={36} w={220} />}
        {form.games.length > 0 && isKnown && fitting.length === 0 && (
          <Alert variant="light" color="orange">
            The chosen games have no currency in common. Choose games of providers that take the same one.
          </Alert>
        )}
        {left.length > 0 && (
          <Select
            aria-label="Add a currency"
            placeholder="Add a currency"
            data={left}
            value={null}
            onChange={(currency) => currency && onChange({ amounts: [...amounts, { currency, amount: '' }] })}
            searchable
            w={220}
          />
        )}
      </Stack>
      <ProblemList problems={problems.filter(({ step }) => step === 'amounts')} />
    </Stack>
  );
}

function TimeStep({ clientId, form, onChange, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Times are in your time zone, {viewerZone}; the same in UTC stands below.
      </Text>
      <SandboxTime clientId={clientId} />
      <Group align="flex-start">
        <Moment label="Start" time={form.validFrom} onChange={(validFrom) => onChange({ validFrom })} />
        <Moment label="End" time={form.validUntil} onChange={(validUntil) => onChange({ validUntil })} />
      </Group>
      <DurationField form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'time')} />
    </Stack>
  );
}

function LimitsStep({ form, onChange, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Free bets in all and the highest coefficient bound what the campaign can cost. Empty means no limit.
      </Text>
      <Group align="flex-start">
        <WholeNumberInput
          label="Free bets in all"
          value={form.limit}
          onChange={(value) => onChange({ limit: String(value) })}
          {...limitInput}
          w={230}
        />
        <WholeNumberInput
          label="Free bets for one player"
          value={form.limitPerPlayer}
          onChange={(value) => onChange({ limitPerPlayer: String(value) })}
          {...limitInput}
          w={230}
        />
      </Group>
      <CoefficientFields form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'limits')} />
    </Stack>
  );
}

interface SubmitStepProps {
  form: CampaignForm;
  draft: AnswerOf<'DraftSave'>;
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
        <Alert color="orange" variant="light" title="It cannot be submitted yet">
          <ProblemList problems={problems} />
        </Alert>
      )}
      <div>
        <Button disabled={!isReady} onClick={() => setAsked(draft)}>
          Submit…
        </Button>
        <Text size="xs" c="dimmed" mt={4}>
          {isReady && draft.needs_approval ? 'A colleague is then asked to approve it.' : ''}
        </Text>
      </div>
      {asked && <SubmitDialog draft={asked} onClose={() => setAsked(null)} />}
    </Stack>
  );
}
