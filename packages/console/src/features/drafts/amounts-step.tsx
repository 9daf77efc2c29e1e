import { Alert, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { DecimalInput } from '../../ui/decimal-input.tsx';
import { useGames } from '../../ui/games.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { amountPlaces } from './draft-form.ts';
import { QuantityField, type StepProps } from './fields.tsx';
import { ProblemList } from './problem-list.tsx';

/** The currencies that every chosen game takes. */
export function useFittingCurrencies(ids: string[]) {
  const { games, ...read } = useGames(ids);
  const { data, error, refetch } = useQuery(asking('ProviderList', {}));
  const used = new Set([...games.values()].map(({ provider_id }) => provider_id));
  const taken = (data?.providers ?? []).flatMap(({ provider_id, currencies }) =>
    used.has(provider_id) ? [new Set(currencies)] : [],
  );
  const [first, ...others] = taken;
  return {
    currencies: [...(first ?? [])].filter((currency) => others.every((each) => each.has(currency))),
    isPending: read.isPending || (!data && !error),
    error: read.error ?? (data ? null : error),
    retry() {
      read.retry();
      if (error) void refetch();
    },
  };
}

export function AmountsStep({ form, onChange, problems }: StepProps) {
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
