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
          Amount of a bet
        </Text>
        {amounts.map(({ currency }, at) => (
          <Group key={currency} gap="xs" align="flex-start">
            <DecimalInput
              aria-label={`Amount in ${currency}`}
              {...form.getInputProps(`amounts.${at}.amount`)}
              places={amountPlaces}
              rightSection={<Text size="xs">{currency}</Text>}
              rightSectionWidth={56}
              error={fitting.length > 0 && !fitting.includes(currency) && `Not every chosen game takes ${currency}`}
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
        {games.length === 0 && <Alert variant="light">Choose the games first: they say which currencies fit.</Alert>}
        {error && <RefusalNote error={error} onRetry={retry} />}
        {isPending && <Skeleton height={36} w={220} />}
        {games.length > 0 && isKnown && fitting.length === 0 && (
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
        Times are in your time zone, {viewerZone}; the same in UTC stands below.
      </Text>
      <SandboxTime clientId={clientId} />
      <Group align="flex-start">
        <Moment label="Start" {...form.getInputProps('validFrom')} />
        <Moment label="End" {...form.getInputProps('validUntil')} />
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
        Free bets in all and the highest coefficient bound what the campaign can cost. Empty means no limit.
      </Text>
      <Group align="flex-start">
        <WholeNumberInput label="Free bets in all" {...form.getInputProps('limit')} {...limitInput} w={230} />
        <WholeNumberInput
          label="Free bets for one player"
          {...form.getInputProps('limitPerPlayer')}
          {...limitInput}
          w={230}
        />
      </Group>
      <CoefficientFields form={form} />
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
